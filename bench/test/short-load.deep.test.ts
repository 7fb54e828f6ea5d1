import { expect, test } from 'vitest'
import { type Operation, operations } from '../api/load/workload.ts'
import type { Report } from '../api/report.ts'
import type { CompressionFigures } from '../compression.ts'
import type { OutageReport } from '../outage/bench.ts'
import type { Profiles } from '../profile/bench.ts'
import type { ReadyResults } from '../search/ready.ts'
import { benchTimeoutMs, figuresNamed, runShortBench } from './support/short-bench.ts'

/** As docs/architecture.md says: what a request costs. */
const promisedStatements: Record<Operation, number> = {
  lookup: 1,
  search: 1,
  enrich: 1,
  contact_search: 1,
  reveal_1: 2,
  reveal_10: 2,
  reveal_1_keyed: 4,
  reveal_10_keyed: 4,
}

test(
  'the bench of the API runs through: every target answers, with the promised statements for each request',
  async () => {
    const { operations: reports } = await runShortBench<Report>('api')
    expect(Object.keys(reports)).toEqual([...operations])
    const counted = Object.entries(reports).map(([name, { cost }]) => [name, cost.statements, cost.roundTrips])
    expect(counted).toEqual(Object.entries(promisedStatements).map(([name, count]) => [name, count, count]))
    for (const [name, { subjects }] of Object.entries(reports)) {
      for (const [target, { perSecond }] of Object.entries(subjects))
        expect(perSecond.lowest, `${name}, ${target}`).toBeGreaterThan(0)
      // What is charged and what is answered are the same requests.
      if (name === 'reveal_1') expect(subjects.service_many.newExportsPerAnswer.highest).toBeLessThanOrEqual(1)
    }
  },
  benchTimeoutMs,
)

test(
  'the bench of an outage runs through',
  async () => {
    const figures = await runShortBench<OutageReport>('outage', '--only', 'search,reveal_1')
    expect(Object.keys(figures)).toEqual(['search', 'reveal_1'])
    expect(Math.min(...figuresNamed(figures, ['normalP99Ms', 'outageP99Ms']))).toBeGreaterThan(0)
  },
  benchTimeoutMs,
)

test(
  'the bench of compressed replies runs through: each kind gets smaller replies in both encodings',
  async () => {
    const tiny = ['--stores', '500', '--seconds', '0.05', '--connections', '4']
    const { requests } = await runShortBench<CompressionFigures>('compression', ...tiny)
    expect(requests.map(({ name }) => name)).toEqual(['search_25', 'search_100', 'contact_search', 'taxonomy'])
    for (const { name, bytes, toIdentity } of requests) {
      expect(Math.max(bytes.gzip, bytes.br), name).toBeLessThan(bytes.identity)
      expect(Math.min(toIdentity.gzip.median, toIdentity.br.median), name).toBeGreaterThan(0)
    }
  },
  benchTimeoutMs,
)

test(
  'the profile of a reply runs through',
  async () => {
    const profiles = await runShortBench<Profiles>('profile', '--only', 'search')
    expect(profiles.search!.micros).toBeGreaterThan(0)
    expect(profiles.search!.functions.length).toBeGreaterThan(0)
  },
  benchTimeoutMs,
)

test(
  'the bench of a start with the index in memory runs through',
  async () => {
    const results = await runShortBench<ReadyResults>('search-ready', '--report', 'REPORT')
    expect(results).toMatchObject({ stores: 2_000, contacts: expect.any(Number) })
    const names = ['contacts', 'fromPostgresSeconds', 'fromSnapshotSeconds', 'indexBytes', 'snapshotBytes', 'perSecond']
    expect(Math.min(...figuresNamed(results, names))).toBeGreaterThan(0)
    expect(Math.min(...figuresNamed(results.serial, ['p50']))).toBeGreaterThan(0)
  },
  benchTimeoutMs,
)
