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
  const manifest = JSON.parse(readFileSync(join(outDir, '.vite/manifest.json'), 'utf8'))
  writeFileSync(join(outDir, 'pages.json'), JSON.stringify(describePages(pagePaths, manifest), null, 2))
  const files = readdirSync(outDir, { recursive: true, encoding: 'utf8' })
  await Promise.all(
    files
      .filter((name) => /^(assets\/|theme)/.test(name) && text.test(name))
      .map((name) => join(outDir, name))
      .filter((file) => statSync(file).size > compressedFromBytes)
      .map(compress),
  )
}

/** @typedef {Record<string, { file: string, imports?: string[] }>} Manifest */

/**
 * What the server has to know about the pages: their paths, and the scripts that a page needs besides the index's. With
 * these the browser need not run one script to learn of the next.
 * @param {readonly string[]} paths
 * @param {Manifest} manifest
 * @returns {Record<string, string[]>}
 */
function describePages(paths, manifest) {
  const ofIndex = new Set(filesOf('index.html', manifest))
  return Object.fromEntries(
    paths.map((path) => {
      const files = new Set(sourcesOf(path).flatMap((source) => filesOf(source, manifest)))
      return [path, [...files].filter((file) => !ofIndex.has(file))]
    }),
  )
}

/**
 * The sources that a page is loaded from, where they are named as its path is: `/account/audit` is drawn by
 * `pages/account/audit/page.tsx` inside two layouts.
 * @param {string} path
 */
function sourcesOf(path) {
  const [, area] = path.split('/')
  // The contacts of the catalogue have the address that the specification gives them.
  const folder = path === '/people' ? '/contacts' : path
  const layout = ['sign-in', 'link', 'privacy'].includes(area ?? '') ? [] : ['src/shell/app-layout.tsx']
  return [...layout, `src/pages/${area}/layout.tsx`, `src/pages${folder}/page.tsx`]
}

/**
 * A chunk and all that it imports; none where the build has no such chunk.
 * @param {string} key
 * @param {Manifest} manifest
 * @param {Set<string>} seen
 * @returns {string[]}
 */
function filesOf(key, manifest, seen = new Set()) {
  const chunk = manifest[key]
  if (!chunk || seen.has(key)) return []
  seen.add(key)
  return [chunk.file, ...(chunk.imports ?? []).flatMap((each) => filesOf(each, manifest, seen))]
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
