// Builds the console: node console/build.mjs FOLDER. The launcher calls it when the sources have changed.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

// Smaller files fit into a packet as they are.
const compressedFromBytes = 1_024
const text = /\.(css|html|js|json|svg|txt)$/

// The launcher may be killed while it waits.
process.once('disconnect', () => process.exit(1))
try {
  const [folder] = process.argv.slice(2)
  if (!folder) throw new Error('usage: node console/build.mjs FOLDER')
  await buildConsole(resolve(folder))
  process.exit(0)
} catch (error) {
  // The launcher repeats it in one line.
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}

/** @param {string} outDir */
async function buildConsole(outDir) {
  // Here, so that a package that is missing is reported like any other failure.
  const { build, transformWithOxc } = await import('vite')
  await build({
    root: import.meta.dirname,
    configFile: join(import.meta.dirname, 'vite.config.mjs'),
    configLoader: 'native',
    logLevel: 'silent',
    build: { outDir, emptyOutDir: true },
  })
  const pagesFile = join(import.meta.dirname, 'src/pages.ts')
  const { code } = await transformWithOxc(readFileSync(pagesFile, 'utf8'), pagesFile)
  const { pagePaths } = await import(`data:text/javascript,${encodeURIComponent(code)}`)
  // The paths that the server answers with the index; it must not read the browser's code.
  writeFileSync(join(outDir, 'pages.json'), JSON.stringify(pagePaths))
  const files = readdirSync(outDir, { recursive: true, encoding: 'utf8' })
  await Promise.all(
    files
      .filter((name) => !name.startsWith('.') && text.test(name))
      .map((name) => join(outDir, name))
      .filter((file) => statSync(file).size > compressedFromBytes)
      .map(compress),
  )
}

/** @param {string} file */
async function compress(file) {
  const bytes = readFileSync(file)
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
    promisify(gzip)(bytes, { level: 9 }),
  ])
  writeFileSync(`${file}.br`, br)
  writeFileSync(`${file}.gz`, gz)
}
