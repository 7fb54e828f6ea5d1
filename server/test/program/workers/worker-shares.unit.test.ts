import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { describe, expect, test } from 'vitest'
import { createMetrics } from '../../../src/foundation/http/metrics.ts'
import { requireMemory } from '../../../src/program/serving/process.ts'
import { divideConnections } from '../../../src/program/workers/connections.ts'
import { EndedWorkers } from '../../../src/program/workers/figures.ts'
import { findFaults, testWithPromtool } from '../../support/metrics/promtool.ts'

describe('connections of workers', () => {
  test.each([
    // The embedded database accepts 197 from ordinary roles.
    [2, 197, 16],
    [5, 197, 16],
    [6, 197, 14],
    [9, 197, 4],
    [2, 97, 16],
    [4, 97, 4],
  ])('%i workers on a database that accepts %i have %i each for requests', (workers, limit, each) => {
    expect(divideConnections(workers, limit)).toBe(each)
    // With the other 15 of each, and 20 for commands and the supervisor.
    expect(workers * (each + 15) + 20).toBeLessThanOrEqual(limit)
  })

  test('that the database cannot accept are refused with the number that is needed', () => {
    expect(() => divideConnections(5, 97)).toThrow(
      'The database accepts 97 connections, and 5 workers need 115: start fewer, or raise max_connections.',
    )
    expect(divideConnections(5, 115)).toBe(4)
  })
})

test('workers need memory for each of them', () => {
  const megabyte = 2 ** 20
  expect(() => requireMemory({ databaseUrl: null }, 600 * megabyte, 2)).toThrow(
    'There are 600 MB of memory, and Storedex needs 640 MB for 2 processes with its own PostgreSQL: give it more, or set DATABASE_URL to a PostgreSQL elsewhere, then 512 MB are enough.',
  )
  requireMemory({ databaseUrl: null }, 640 * megabyte, 2)
})

describe('metrics of workers', () => {
  /** The figures of a worker: so many requests of 0.1 s, and the batch of its index. */
  function figuresOf(worker: string, { requests, batch }: { requests: number; batch: number }) {
    const registers = [new Registry()]
    const options = { help: 'h', registers }
    new Counter({ ...options, name: 'requests_total', labelNames: ['route'] }).inc({ route: '/a' }, requests)
    const durations = new Histogram({ ...options, name: 'seconds', buckets: [1] })
    for (let i = 0; i < requests; i++) durations.observe(0.1)
    new Gauge({ ...options, name: 'connections' }).set(1)
    new Gauge({ ...options, name: 'batch', aggregator: 'min' }).set(batch)
    new Gauge({ ...options, name: 'memory', labelNames: ['worker'] }).set({ worker }, 5)
    return registers[0]!.getMetricsAsJSON()
  }
  const linesOf = (text: string) => text.split('\n').filter((line) => line && !line.startsWith('#'))

  test('are added up as each says; counters of ended workers stay, their gauges go', async () => {
    const ended = new EndedWorkers()
    const [first, second] = [
      await figuresOf('1', { requests: 3, batch: 7 }),
      await figuresOf('2', { requests: 4, batch: 9 }),
    ]
    const both = linesOf(await ended.format([first, second]))
    expect(both).toContain('requests_total{route="/a"} 7')
    expect(both).toContain('seconds_bucket{le="1"} 7')
    expect(both).toContain('seconds_count 7')
    expect(both).toContain('connections 2')
    expect(both).toContain('batch 7')
    expect(both.filter((line) => line.startsWith('memory'))).toEqual(['memory{worker="1"} 5', 'memory{worker="2"} 5'])

    await ended.add(first)
    const left = linesOf(await ended.format([second]))
    expect(left).toContain('requests_total{route="/a"} 7')
    expect(left).toContain('seconds_count 7')
    expect(left).toContain('connections 1')
    expect(left).toContain('batch 9')
    expect(left.filter((line) => line.startsWith('memory'))).toEqual(['memory{worker="2"} 5'])

    await ended.add(second)
    await ended.add(await figuresOf('1', { requests: 0, batch: 1 }))
    expect(linesOf(await ended.format([]))).toContain('requests_total{route="/a"} 7')
  })

  const ofProcess = (worker: string) => createMetrics(undefined, { worker }).registry.getMetricsAsJSON()

  test('say of each process when it started', async () => {
    const text = await new EndedWorkers().format([await ofProcess('1'), await ofProcess('supervisor')])
    const started = linesOf(text).filter((line) => line.startsWith('process_start_time_seconds{'))
    expect(started.map((line) => /worker="(\w+)"\} \d{10}/.exec(line)?.[1])).toEqual(['1', 'supervisor'])
  })

  testWithPromtool('pass promtool check metrics when they are added up', async () => {
    const input = await new EndedWorkers().format([await ofProcess('1'), await ofProcess('2')])
    expect(findFaults(['check', 'metrics'], { input })).toBe('')
  })
})
