import { spawnSync } from 'node:child_process'
import { beforeAll, describe, expect, test } from 'vitest'
import { measureDeps, startApp } from '../../src/bin/serving.ts'
import { createMetrics } from '../../src/http/metrics.ts'
import { startTestApp } from '../support/app.ts'

let text: string
beforeAll(async () => {
  const { deps } = await startTestApp({ now: '2026-11-27T12:00:00Z' })
  const metrics = createMetrics(() => ({ total: 3, idle: 2, waiting: 1 }))
  const monitor = measureDeps(deps, metrics)
  const app = await startApp(deps, deps.config, metrics)
  text = await metrics.registry.metrics()
  await app.close()
  await monitor.stop()
})

/** Name and type of each metric of ours. */
const found = () =>
  [...text.matchAll(/^# TYPE (storedex_\w+) (\w+)$/gm)].map(([, name, type]) => ({ name: name!, type }))

describe('each metric', () => {
  test('that is counted ends in _total, and no other does', () => {
    expect(found().length).toBeGreaterThan(15)
    expect(found()).toContainEqual({ name: 'storedex_exports_rows_total', type: 'counter' })
    const isOdd = ({ name, type }: { name: string; type: string | undefined }) =>
      name.endsWith('_total') !== (type === 'counter')
    expect(found().filter(isOdd)).toEqual([])
  })

  test('of time or size is in seconds or bytes, and each has a sentence', () => {
    const names = found().map(({ name }) => name)
    expect(
      names.filter((name) => /_(ms|milliseconds|minutes|hours|kb|mb|kilobytes|megabytes)(_|$)/.test(name)),
    ).toEqual([])
    for (const name of names) expect(text).toMatch(new RegExp(`^# HELP ${name} [A-Z0-9].{8,}[.]$`, 'm'))
  })

  test.runIf(spawnSync('promtool', ['--version']).status === 0)('passes promtool check metrics', () => {
    const ours = text.split('\n').filter((line) => line.includes('storedex_'))
    const { stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
      input: `${ours.join('\n')}\n`,
      encoding: 'utf8',
    })
    expect(stdout + stderr).toBe('')
  })
})
