import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { runTests } from '../../tests/vitest.mjs'

const projectDir = join(import.meta.dirname, '../../..')
const samples = join(import.meta.dirname, 'flaky-project')
const folder = mkdtempSync(join(tmpdir(), 'storedex-samples-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function runSamples(names: string[], { retry }: { retry: boolean }) {
  vi.spyOn(console, 'log').mockImplementation(() => {})
  return runTests(projectDir, {
    title: 'samples',
    args: ['--project=main', `--root=${samples}`, ...names],
    settings: { SAMPLE_MARK: join(folder, names.join()) },
    retry,
    stdio: 'ignore',
  })
}

test('a test that fails once and passes alone is flaky, with its first error; one that fails twice is a failure', async () => {
  const { flaky, failures, files } = await runSamples(['sometimes', 'never'], { retry: true })
  expect(flaky).toMatchObject([{ test: 'passes the second time', error: expect.stringContaining('the first error') }])
  expect(failures).toMatchObject([{ test: 'never passes' }])
  expect(files.map(({ passed, failed }) => ({ passed, failed }))).toEqual(
    expect.arrayContaining([
      { passed: 1, failed: 1 },
      { passed: 0, failed: 1 },
    ]),
  )
})

test('without a second try every failure counts', async () => {
  const { flaky, failures } = await runSamples(['sometimes'], { retry: false })
  expect(flaky).toEqual([])
  expect(failures).toMatchObject([{ test: 'passes the second time' }])
})

test('an error that belongs to no test is a failure, also the second time', async () => {
  const { failures } = await runSamples(['loose'], { retry: true })
  expect(failures).toMatchObject([{ error: expect.stringContaining('belongs to no test') }])
})

test('a run that finds no test is a failure', async () => {
  const { failures } = await runSamples(['there-is-no-such-file'], { retry: true })
  expect(failures).toMatchObject([{ file: null, error: expect.stringContaining('the run itself') }])
})
