// A vitest reporter: writes errors that belong to no test to the file named by UNHANDLED_ERRORS_FILE. They fail a run, and
// the JSON report does not contain them.
import { writeFileSync } from 'node:fs'

export default class UnhandledErrors {
  onTestRunEnd(_testModules, errors) {
    const file = process.env.UNHANDLED_ERRORS_FILE
    if (file) writeFileSync(file, JSON.stringify(errors.map(describe)))
  }
}

/** The error's type, text and stack, and the test file that was running, where vitest knows it. */
function describe({ type, name, message, stack, VITEST_TEST_PATH, VITEST_TEST_NAME }) {
  const during = [VITEST_TEST_PATH, VITEST_TEST_NAME].filter(Boolean).join(' > ')
  return [during, `${type ?? 'Unhandled error'}: ${stack ?? `${name}: ${message}`}`].filter(Boolean).join('\n')
}
