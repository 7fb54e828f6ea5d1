// The two test runs. `npm test`: every promise once, on the PostgreSQL that Storedex brings, then formatting, types and unused
// code. `npm run test:deep`: whole programs, long histories, many kills and the tools; then the tests of the rooms once more
// on the machine's own PostgreSQL and on TEST_DATABASE_URL, where there is one, searching in memory.
//
//   --once           for both runs, one after the other: `npm test` makes all runs of random tests and looks at pages in every way,
//                    which `npm run test:deep` then leaves out
//   --retry          a failed file runs once more, alone; what then passes is listed as flaky and fails nothing
//   --times          writes the times of all files to docs/test-times.csv
//   --log FILE       writes the failures and the flaky tests to FILE
//   --results FILE   adds the counts to FILE, for `--closing FILE`, which prints them as one line for several runs
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { installPackages, runNpm } from './launcher/install.mjs'
import { findOtherPostgres } from './tests/postgres.mjs'
import { writeTimes } from './tests/times.mjs'
import { runTests } from './tests/vitest.mjs'

const projectDir = resolve(import.meta.dirname, '..')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    once: { type: 'boolean', default: false },
    retry: { type: 'boolean', default: false },
    times: { type: 'boolean', default: false },
    results: { type: 'string' },
    closing: { type: 'string' },
    log: { type: 'string' },
  },
})

if (values.closing) {
  closeWith(readFileSync(values.closing, 'utf8').split('\n').filter(Boolean).map(JSON.parse))
} else {
  await installPackages(projectDir, { tools: true })
  const isDeep = positionals[0] === 'deep'
  const outcomes = isDeep ? await runDeep() : await runAll()
  const files = outcomes.flatMap((outcome) => outcome.files)
  if (values.times) {
    const isThere = (path) => existsSync(join(projectDir, path))
    writeTimes(join(projectDir, 'docs/test-times.csv'), outcomes[0].files, isThere)
  }
  printSlowest(files)
  const results = outcomes.map(({ title, files, failures, flaky }) => ({
    title,
    passed: files.reduce((sum, { passed }) => sum + passed, 0),
    skipped: files.reduce((sum, { skipped }) => sum + skipped, 0),
    failures,
    flaky,
  }))
  if (values.results) {
    appendFileSync(values.results, results.map((result) => `${JSON.stringify(result)}\n`).join(''))
    process.exitCode = results.some(({ failures }) => failures.length > 0) ? 1 : 0
  } else closeWith(results)
}

async function runAll() {
  // As vitest.config.ts sets it for the deep run.
  const whole = { STOREDEX_PROOF_SHARE: '1', STOREDEX_LOOKS: 'every' }
  const tests = await run('npm test', ['--project=unit', '--project=main'], values.once ? whole : {})
  return [tests, await check('formatting, types, unused code', 'verify')]
}

async function runDeep() {
  const projects = values.once ? ['--project=deep'] : ['--project=deep', '--project=random', '--project=looks']
  const outcomes = [await run('npm run test:deep', projects)]
  const programs = findOtherPostgres()
  const inMemory = { STOREDEX_TEST_ENGINE: 'memory' }
  if (programs) {
    const settings = { ...inMemory, TEST_POSTGRES_BIN: programs }
    outcomes.push(await run(`the rooms on ${programs}`, ['--project=rooms'], settings))
  }
  if (process.env.TEST_DATABASE_URL) {
    const settings = { ...inMemory, TEST_DATABASE_URL: process.env.TEST_DATABASE_URL }
    outcomes.push(await run('the rooms on TEST_DATABASE_URL', ['--project=rooms'], settings))
  }
  return [...outcomes, await check('types of the bench and the drill', 'verify:deep')]
}

function run(title, args, settings) {
  console.log(`\nTests: ${title}`)
  return runTests(projectDir, { title, args, settings, retry: values.retry })
}

async function check(title, script) {
  console.log(`\nChecks: ${title}`)
  const isClean = (await runNpm(projectDir, ['run', '--silent', script], 'inherit')) === 0
  const failures = isClean ? [] : [{ file: null, test: null, error: `npm run ${script} failed; see above` }]
  return { title, files: [], failures, flaky: [] }
}

function printSlowest(files) {
  const slowest = [...files].sort((a, b) => b.ms - a.ms).slice(0, 10)
  console.log('\nThe slowest files, in seconds:')
  for (const { path, ms } of slowest) console.log(`${(ms / 1_000).toFixed(1).padStart(7)}  ${path}`)
}

/** Prints failures last: whoever keeps only the end of a long log must find them. */
function closeWith(results) {
  const describe = (title, { file, test, error }) => `${[file, test].filter(Boolean).join(' > ')} (${title})\n${error}`
  const told = [
    ...results.flatMap(({ title, flaky }) => flaky.map((each) => `Flaky, passed alone: ${describe(title, each)}`)),
    ...results.flatMap(({ title, failures }) => failures.map((each) => `Failed: ${describe(title, each)}`)),
  ]
  for (const text of told) console.log(`\n${text}`)
  if (values.log) {
    mkdirSync(dirname(values.log), { recursive: true })
    writeFileSync(values.log, told.join('\n\n'))
  }
  const sum = (count) => results.reduce((total, result) => total + count(result), 0)
  const failed = sum(({ failures }) => failures.length)
  const flaky = sum((each) => each.flaky.length)
  console.log(`\n${flaky === 0 ? 'No' : flaky} flaky`)
  console.log(
    `${sum(({ passed }) => passed) + flaky} passed, ${failed} failed, ${sum(({ skipped }) => skipped)} skipped`,
  )
  process.exitCode = failed === 0 ? 0 : 1
}
