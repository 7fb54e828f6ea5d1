// Builds the package in dist/: the code in one file, the declarations by the compiler, and what describes it.
// The folder above cannot be packed, because it has no version: `npm pack ./client/dist`.
import { execFileSync } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'

const folder = import.meta.dirname
rmSync(join(folder, 'dist'), { recursive: true, force: true })
await build({
  absWorkingDir: folder,
  entryPoints: ['src/index.ts'],
  outfile: 'dist/index.js',
  bundle: true,
  format: 'esm',
  target: 'es2022',
  platform: 'neutral',
  logLevel: 'warning',
})
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
execFileSync(process.execPath, [tsc, '-p', join(folder, 'tsconfig.build.json')], { stdio: 'inherit' })

// Declarations that no caller sees are left out; the others name files as they are packed.
const dist = join(folder, 'dist')
const seen = new Set()
/** @param {string} file */
const visit = (file) => {
  if (seen.has(file)) return
  seen.add(file)
  const text = readFileSync(file, 'utf8')
  for (const [, target = ''] of text.matchAll(/from '(\.[^']+)\.ts'/g)) visit(join(dirname(file), `${target}.d.ts`))
  writeFileSync(file, text.replace(/from '(\.[^']+)\.ts'/g, "from '$1.js'"))
}
visit(join(dist, 'index.d.ts'))
for (const path of readdirSync(dist, { recursive: true, encoding: 'utf8' }))
  if (path.endsWith('.d.ts') && !seen.has(join(dist, path))) rmSync(join(dist, path))

/** @param {string} path */
const readJson = (path) => JSON.parse(readFileSync(join(folder, path), 'utf8'))
const { name, private: _, scripts: __, exports: ___, ...described } = readJson('package.json')
const manifest = {
  name,
  // Of the whole repository; a test compares it with src/version.ts.
  version: readJson('../package.json').version,
  ...described,
  files: ['index.js', '**/*.d.ts'],
  exports: { '.': { types: './index.d.ts', default: './index.js' } },
}
writeFileSync(join(dist, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
copyFileSync(join(folder, 'README.md'), join(dist, 'README.md'))
