// Builds dist/: the code in one file, the declarations by the compiler. `npm pack` runs it.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
