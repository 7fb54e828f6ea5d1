import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** @param {string} path */
const isTest = (path) => path.endsWith('.test.ts') && !path.includes('/deep/') && !path.endsWith('.deep.test.ts')

/**
 * The test files that belong to what changed since the last commit, in the order of their distance: changed tests, tests with
 * the name of a changed file, tests of its folder. Deep tests are left to `npm run test:deep`.
 * @param {string} projectDir
 */
export function findTestsOfChanges(projectDir) {
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', args, { cwd: projectDir, encoding: 'utf8' }).split('\n').filter(Boolean)
  const changed = [...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')]
  return orderTests(projectDir, changed)
}

/**
 * See findTestsOfChanges.
 * @param {string} projectDir
 * @param {string[]} changed Paths from the project's folder.
 */
export function orderTests(projectDir, changed) {
  const exists = (/** @type {string} */ path) => existsSync(join(projectDir, path))
  const testsIn = (/** @type {string} */ folder) =>
    exists(folder)
      ? readdirSync(join(projectDir, folder), { recursive: true, encoding: 'utf8' })
          .map((path) => join(folder, path))
          .filter(isTest)
      : []
  const byName = changed.flatMap((path) => {
    if (isTest(path)) return exists(path) ? [path] : []
    const mirrored = mirrorOf(path)
    if (!mirrored.includes('/test/')) return []
    return testsIn(dirname(mirrored)).filter((test) => test.startsWith(`${mirrored}.`))
  })
  const ofPages = changed.flatMap((path) => {
    const page = /^console\/src\/pages\/([\w-]+)/.exec(path)?.[1]
    const isOfPage = (/** @type {string} */ test) => test.includes(`/${page}.`)
    return page ? testsIn('server/test/promises/browser').filter(isOfPage) : []
  })
  const byFolder = changed.flatMap((path) => nearestTests(path, testsIn))
  return [...new Set([...byName, ...ofPages, ...byFolder])]
}

/**
 * `server/src/customers/billing/links/x.ts` leads to `server/test/customers/billing/links`, or the nearest folder above it that has tests.
 * @param {string} path
 * @param {(folder: string) => string[]} testsIn
 */
function nearestTests(path, testsIn) {
  const parts = mirrorOf(path).split('/')
  // The folder of the same name as the file comes first: `server/src/program/app.ts` leads to `server/test/program/app`.
  for (; parts.includes('test') && parts.join('/') !== 'server/test'; parts.pop()) {
    const tests = testsIn(parts.join('/'))
    if (tests.length > 0) return tests
  }
  return []
}

/**
 * Where the test of a source would stand, without its ending.
 * @param {string} path
 */
function mirrorOf(path) {
  return path
    .replace(/^server\/(migrations\/.*|schema\.sql)$/, 'server/test/foundation/db/migrate')
    .replace(/^catalogue\/build\//, 'catalogue/test/')
    .replace('/src/', '/test/')
    .replace(/\.tsx?$/, '')
}
