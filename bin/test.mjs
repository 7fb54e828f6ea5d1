// Everything that judges the project, in one go: the tests on the PostgreSQL that Storedex brings, searching with it; the
// tests that touch the database once more on the machine's own PostgreSQL where it has one, searching in memory; then
// formatting, types and unused code.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { installPackages, runNpm } from './launcher/install.mjs'

const projectDir = resolve(import.meta.dirname, '..')
const oldestPostgres = 15

// What does not touch the database, does not depend on which it is, or brings its own says the same on every server.
const sameOnEveryServer = [
  'bench/test/**',
  'client/test/**',
  'console/test/**',
  'drill/test/**',
  'packages/*/test/**',
  'stripe-standin/test/**',
  ...[
    'access',
    'architecture',
    'browser',
    'catalogue',
    'clients',
    'crash',
    'docs',
    'doctor',
    'failover',
    'hostile',
    'http',
    'kernel',
    'openapi',
  ].map((name) => `server/test/${name}/**`),
  ...[
    'mcp',
    'runtime',
    'start',
    'billing/local',
    'billing/stripe',
    'imports/cells',
    'imports/csv',
    'imports/source',
  ].map((name) => `server/test/${name}/**`),
  // Their statements run on both servers in other tests; these take long by the number of their runs.
  'server/test/{billing/sync/random,db/tls,imports/interruptions,usage/closing/archives,usage/shared-account}.test.ts',
  'server/test/imports/threads/**',
]

await installPackages(projectDir, { tools: true })
const outcomes = [await runTests('the embedded PostgreSQL', {}, [])]
const programs = findPostgres()
if (programs) {
  const left = sameOnEveryServer.flatMap((pattern) => ['--exclude', pattern])
  const settings = { TEST_POSTGRES_BIN: programs, STOREDEX_TEST_ENGINE: 'memory' }
  outcomes.push(await runTests(`${programs}, searching in memory`, settings, left))
}
if (process.env.TEST_DATABASE_URL) {
  const { TEST_DATABASE_URL } = process.env
  console.log('\nNot on TEST_DATABASE_URL, because they start, break or need no server:', sameOnEveryServer.join(', '))
  const left = sameOnEveryServer.flatMap((pattern) => ['--exclude', pattern])
  const settings = { TEST_DATABASE_URL, STOREDEX_TEST_ENGINE: 'memory' }
  outcomes.push(await runTests('TEST_DATABASE_URL, searching in memory', settings, left))
}
console.log('\nFormatting, types, unused code')
const isClean = (await runNpm(projectDir, ['run', '--silent', 'verify'], 'inherit')) === 0
outcomes.push({ passed: isClean ? 1 : 0, failed: isClean ? 0 : 1, failures: isClean ? [] : ['npm run verify'] })

const sum = (name) => outcomes.reduce((total, outcome) => total + outcome[name], 0)
// Said last, since whoever keeps only the end of a long run has to know where to look.
for (const { failures } of outcomes) for (const failure of failures) console.log(`\nFailed: ${failure}`)
process.exitCode = sum('failed') === 0 ? 0 : 1
console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`)

/** One run of vitest. A run without a single test, or one that ends badly without naming a test, counts as a failure. */
async function runTests(server, settings, args) {
  console.log(`\nTests on ${server}`)
  const folder = mkdtempSync(join(tmpdir(), 'storedex-report-'))
  const report = join(folder, 'report.json')
  const unhandled = join(folder, 'unhandled.json')
  const vitest = join(projectDir, 'node_modules/vitest/vitest.mjs')
  const ownReporter = `--reporter=${join(import.meta.dirname, 'unhandled-errors.mjs')}`
  const reporters = ['--reporter=default', ownReporter, '--reporter=json', `--outputFile.json=${report}`]
  // This server is for a run of its own.
  const { TEST_DATABASE_URL: _, ...environment } = process.env
  const child = spawn(process.execPath, [vitest, 'run', ...reporters, ...args], {
    cwd: projectDir,
    stdio: 'inherit',
    env: { ...environment, ...settings, UNHANDLED_ERRORS_FILE: unhandled },
  })
  const code = await new Promise((done) => child.once('close', done))
  try {
    const { numPassedTests: passed, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'))
    const brokenFiles = testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0)
    const failed = numFailedTests + brokenFiles.length
    const isOtherwiseBad = failed === 0 && (code !== 0 || passed === 0)
    const failures = isOtherwiseBad ? [`the run itself, with exit code ${code}`] : testResults.flatMap(describeFailures)
    // Such an error fails a run in which every test passes.
    if (existsSync(unhandled)) failures.push(...JSON.parse(readFileSync(unhandled, 'utf8')))
    return { passed, failed: isOtherwiseBad ? 1 : failed, failures: failures.map((text) => `${text} (on ${server})`) }
  } catch {
    return { passed: 0, failed: 1, failures: [`the run on ${server} left no report`] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A test's file, name and the beginning of what went wrong; a file's own, where it broke before its tests. */
function describeFailures(file) {
  if (file.status !== 'failed') return []
  const failed = file.assertionResults.filter((test) => test.status === 'failed')
  const name = relative(projectDir, file.name)
  if (failed.length === 0) return [`${name}\n${file.message}`]
  return failed.map((test) => `${name} > ${test.fullName}\n${test.failureMessages.join('\n').slice(0, 2_000)}`)
}

/** The programs of the oldest PostgreSQL on this machine that is new enough: the one furthest from ours. */
function findPostgres() {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).map(Number) : []
  return versions
    .filter((version) => version >= oldestPostgres)
    .sort((a, b) => a - b)
    .map((version) => join(root, String(version), 'bin'))
    .find((folder) => canRun(join(folder, 'postgres')) && canRun(join(folder, 'initdb')))
}

function canRun(program) {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
