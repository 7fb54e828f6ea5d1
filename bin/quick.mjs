// The quick check between two edits: types, lint, the tests that need no database, and the tests of the folders that
// changed since the last commit (or of the folders that are named). Slow rooms are left to `npm test`.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { installPackages } from './launcher/install.mjs'

const projectDir = resolve(import.meta.dirname, '..')

const withoutDatabase = [
  ...['architecture', 'catalogue', 'kernel', 'runtime', 'search/query'].map((room) => `server/test/${room}`),
  'packages/search-index/test',
]
// Minutes each: whole services, faults and floods.
const slow = /^(server\/test\/(crash|contacts\/model)|drill)\b/

await installPackages(projectDir, { tools: true })
const named = process.argv.slice(2)
const folders = [...new Set([...withoutDatabase, ...(named.length > 0 ? named : changedTestFolders())])]
console.log(`Tests in ${folders.join(', ')}`)
const [types, consoleTypes, lint, tests] = await Promise.all([
  run('typescript/bin/tsc', []),
  run('typescript/bin/tsc', ['-p', 'console']),
  run('@biomejs/biome/bin/biome', ['check', '.']),
  run('vitest/vitest.mjs', ['run', '--reporter=dot', ...folders.map((folder) => `${folder}/`)]),
])
const failed = Object.entries({ types, consoleTypes, lint, tests }).filter(([, code]) => code !== 0)
console.log(failed.length === 0 ? 'All passed.' : `Failed: ${failed.map(([name]) => name).join(', ')}`)
process.exitCode = failed.length === 0 ? 0 : 1

/** The test folders that belong to changed files: `server/src/billing/links/x.ts` leads to `server/test/billing/links`. */
function changedTestFolders() {
  const git = (...args) => execFileSync('git', args, { cwd: projectDir, encoding: 'utf8' }).split('\n').filter(Boolean)
  const changed = [...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')]
  return changed.flatMap((path) => {
    const parts = path
      .replace(/\/src\//, '/test/')
      .split('/')
      .slice(0, -1)
    for (; parts.length > 1; parts.pop()) {
      const folder = parts.join('/')
      if (/(^|\/)test\/[^/]+/.test(folder) && existsSync(join(projectDir, folder)))
        return slow.test(folder) ? [] : [folder]
    }
    return []
  })
}

function run(program, args) {
  const child = spawn(process.execPath, [join(projectDir, 'node_modules', program), ...args], {
    cwd: projectDir,
    stdio: 'inherit',
  })
  return new Promise((done) => child.once('close', (code) => done(code ?? 1)))
}
