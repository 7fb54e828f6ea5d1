import { beforeAll, describe, expect, test } from 'vitest'
import { readEveryMetric } from '../../support/metrics/every-metric.ts'
import { findFaults, testWithPromtool } from '../../support/metrics/promtool.ts'

let text: string
beforeAll(async () => {
  text = await readEveryMetric()
})

/** Name and type of each metric. */
const found = () => [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => ({ name: name!, type: type! }))
const ours = () => found().filter(({ name }) => name.startsWith('storedex_'))

describe('each metric', () => {
  test('that is counted ends in _total, and no other does', () => {
    expect(ours().length).toBeGreaterThan(35)
    expect(found().length).toBeGreaterThan(ours().length + 20)
    expect(found()).toContainEqual({ name: 'storedex_exports_rows_total', type: 'counter' })
    const isOdd = ({ name, type }: { name: string; type: string }) => name.endsWith('_total') !== (type === 'counter')
    expect(found().filter(isOdd)).toEqual([])
  })

  test('of time or size is in seconds or bytes, and each has a sentence', () => {
    const names = found().map(({ name }) => name)
    expect(
      names.filter((name) => /_(ms|milliseconds|minutes|hours|kb|mb|kilobytes|megabytes)(_|$)/.test(name)),
    ).toEqual([])
    for (const { name } of ours()) expect(text).toMatch(new RegExp(`^# HELP ${name} [A-Z0-9].{8,}[.]$`, 'm'))
  })

  testWithPromtool('passes promtool check metrics', () => {
    const check = (input: string) => findFaults(['check', 'metrics'], { input })
    expect(check(text)).toBe('')
    expect(check('# HELP a_total Some.\n# TYPE a_total gauge\na_total 1\n')).toContain('a_total non-counter')
  })
})
