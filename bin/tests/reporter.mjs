// A vitest reporter. Writes what a run's launcher needs to the file that TEST_REPORT_FILE names: the times of every file,
// the failures, and the errors that belong to no test, which fail a run and are in no other report.
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'

export default class ReportWriter {
  onInit(vitest) {
    this.root = vitest.config.root
  }

  onTestRunEnd(testModules, errors) {
    const report = {
      files: testModules.map((module) => this.#describeFile(module)),
      failures: testModules.flatMap((module) => this.#describeFailures(module)),
      unhandled: errors.map((error) => this.#describeUnhandled(error)),
    }
    const file = process.env.TEST_REPORT_FILE
    if (file) writeFileSync(file, JSON.stringify(report))
  }

  /** Times in ms. `cpuMs` is this worker's own processor time; null where the file did not get to its end. */
  #describeFile(module) {
    const { setupDuration, collectDuration, prepareDuration, duration } = module.diagnostic()
    const tests = [...module.children.allTests()]
    const count = (state) => tests.filter((test) => test.result().state === state).length
    return {
      path: this.#pathOf(module.moduleId),
      project: module.project.name,
      ms: Math.round(prepareDuration + setupDuration + collectDuration + duration),
      testsMs: Math.round(tests.reduce((sum, test) => sum + (test.diagnostic()?.duration ?? 0), 0)),
      cpuMs: module.meta().cpuMs ?? null,
      passed: count('passed'),
      failed: count('failed'),
      skipped: count('skipped'),
    }
  }

  #describeFailures(module) {
    const file = this.#pathOf(module.moduleId)
    const project = module.project.name
    const own = [...module.errors(), ...[...module.children.allSuites()].flatMap((suite) => suite.errors())]
    const failed = [...module.children.allTests('failed')]
    return [
      ...own.map((error) => ({ file, project, test: null, error: textOf(error) })),
      ...failed.map((test) => ({
        file,
        project,
        test: test.fullName,
        error: (test.result().errors ?? []).map(textOf).join('\n'),
      })),
    ]
  }

  #describeUnhandled(error) {
    const file = error.VITEST_TEST_PATH ? this.#pathOf(error.VITEST_TEST_PATH) : null
    return { file, test: error.VITEST_TEST_NAME ?? null, error: `${error.type ?? 'Unhandled error'}: ${textOf(error)}` }
  }

  #pathOf(file) {
    return relative(this.root, file)
  }
}

function textOf({ name, message, stack, diff }) {
  return [stack ?? `${name}: ${message}`, diff].filter(Boolean).join('\n').slice(0, 2_000)
}
