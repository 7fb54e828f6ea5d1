import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** @typedef {import('./times.mjs').FileReport} FileReport */
/**
 * A test that failed, or a file without one that did, or the run itself.
 * @typedef {{ file: string | null, project?: string, test: string | null, error: string }} Failure
 */

// More failures than this have one cause, which a second look would not find.
const mostFilesRunAgain = 10

/**
 * Runs vitest and returns what its files took and what failed. With `retry`, each file with a failure runs once more,
 * alone: what then passes is `flaky` and no failure. A run without a single test, or one that ends badly without naming a
 * failure, is a failure itself.
 * @param {string} projectDir
 * @param {{ title: string, args: string[], settings?: Record<string, string>, retry?: boolean,
 *   stdio?: import('node:child_process').StdioOptions }} run
 */
export async function runTests(projectDir, { title, args, settings = {}, retry = false, stdio = 'inherit' }) {
  const first = await runVitest(projectDir, { args, settings, stdio })
  /** @type {{ title: string, files: FileReport[], failures: Failure[], flaky: Failure[] }} */
  const outcome = { title, files: first.files, failures: first.failures, flaky: [] }
  const filesToRepeat = [...new Set(first.failures.map(({ file }) => file))]
  if (retry && filesToRepeat.length <= mostFilesRunAgain && !filesToRepeat.includes(null)) {
    outcome.failures = []
    for (const file of filesToRepeat) {
      console.log(`\nOnce more, alone: ${file}`)
      const again = await runVitest(projectDir, { args: [file ?? '', ...optionsOf(args)], settings, stdio })
      const before = first.failures.filter((failure) => failure.file === file)
      outcome[again.failures.length === 0 ? 'flaky' : 'failures'].push(...before)
    }
  }
  return outcome
}

// The names of files are left out.
const optionsOf = (/** @type {string[]} */ args) => args.filter((arg) => arg.startsWith('--'))

/**
 * @param {string} projectDir
 * @param {{ args: string[], settings: Record<string, string>, stdio: import('node:child_process').StdioOptions }} run
 * @returns {Promise<{ files: FileReport[], failures: Failure[] }>}
 */
async function runVitest(projectDir, { args, settings, stdio }) {
  const folder = mkdtempSync(join(tmpdir(), 'storedex-report-'))
  const reportFile = join(folder, 'report.json')
  const ownReporter = join(import.meta.dirname, 'reporter.mjs')
  const vitest = join(projectDir, 'node_modules/vitest/vitest.mjs')
  // TEST_DATABASE_URL is for a run of its own, whose settings name it.
  const { TEST_DATABASE_URL: _, ...environment } = process.env
  const child = spawn(process.execPath, [vitest, 'run', '--reporter=default', `--reporter=${ownReporter}`, ...args], {
    cwd: projectDir,
    stdio,
    env: { ...environment, ...settings, TEST_REPORT_FILE: reportFile },
  })
  const code = await new Promise((done) => child.once('close', done))
  try {
    /** @type {{ files: FileReport[], failures: Failure[], unhandled: Failure[] }} */
    const { files, failures, unhandled } = JSON.parse(readFileSync(reportFile, 'utf8'))
    const all = [...failures, ...unhandled]
    const isWithoutTests = files.every(({ passed, skipped }) => passed + skipped === 0)
    if (all.length === 0 && (code !== 0 || isWithoutTests)) all.push(failureOfRun(`ended with code ${code}`))
    return { files, failures: all }
  } catch {
    return { files: [], failures: [failureOfRun(`ended with code ${code} and left no report`)] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @param {string} text */
function failureOfRun(text) {
  return { file: null, test: null, error: `the run itself ${text}` }
}
