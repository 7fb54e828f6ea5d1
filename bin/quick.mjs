// The check between two edits: types, lint, all pure tests, and the tests of what changed since the last commit, database
// tests included, or of the files and folders that are named. What changed widely is cut to a minute's tests, nearest first.
import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { installPackages } from './launcher/install.mjs'
import { findTestsOfChanges } from './tests/changed.mjs'
import { readTimes } from './tests/times.mjs'

const projectDir = resolve(import.meta.dirname, '..')
// Worker seconds for the tests of what changed, and what a test without a measured time is taken for.
const budget = 80
const unknown = 4

await installPackages(projectDir, { tools: true })
const named = process.argv.slice(2)
const { chosen, left } = named.length > 0 ? { chosen: named, left: [] } : choose(findTestsOfChanges(projectDir))
console.log(`Tests: all pure ones${chosen.length > 0 ? `, ${chosen.join(', ')}` : ''}`)
const [types, consoleTypes, lint, tests] = await Promise.all([
  run('typescript/bin/tsc', []),
  run('typescript/bin/tsc', ['-p', 'console']),
  run('@biomejs/biome/bin/biome', ['check', '.']),
  run('vitest/vitest.mjs', ['run', '--project=unit', '--project=main', '.unit.test.ts', ...chosen]),
])
if (left.length > 0) console.log(`\nLeft for npm test, or to be named:\n${left.map((path) => `  ${path}`).join('\n')}`)
const failed = Object.entries({ types, consoleTypes, lint, tests }).filter(([, code]) => code !== 0)
console.log(failed.length === 0 ? '\nAll passed.' : `\nFailed: ${failed.map(([name]) => name).join(', ')}`)
process.exitCode = failed.length === 0 ? 0 : 1

/** Takes tests in their order until the budget is spent; always the first. */
function choose(tests) {
  const seconds = readTimes(join(projectDir, 'docs/test-times.csv'))
  let spent = 0
  const isTaken = (path) => {
    spent += seconds.get(path) ?? unknown
    return spent <= budget || path === tests[0]
  }
  const chosen = tests.filter(isTaken)
  return { chosen, left: tests.filter((path) => !chosen.includes(path)) }
}

function run(program, args) {
  const child = spawn(process.execPath, [join(projectDir, 'node_modules', program), ...args], {
    cwd: projectDir,
    stdio: 'inherit',
  })
  return new Promise((done) => child.once('close', (code) => done(code ?? 1)))
}
