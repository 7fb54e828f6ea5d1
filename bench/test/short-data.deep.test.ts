import { expect, test } from 'vitest'
import type { ExportFigures } from '../exports.ts'
import type { LedgerFigures } from '../ledger.ts'
import type { DialectFigures } from '../messy/bench.ts'
import { dialects } from '../messy/dialect.ts'
import type { WorkbookFigures } from '../workbooks/bench.ts'
import { benchTimeoutMs, figuresNamed, runShortBench } from './support/short-bench.ts'

interface ImportFigures {
  import: { read: number; inserted: number; rejected: number; service_cpu_seconds: number }
  import_again: { read: number; unchanged: number }
  bare_copy: { per_second: number }
}

test(
  'the bench of imports runs through beside a service',
  async () => {
    const figures = await runShortBench<Record<string, ImportFigures>>('import', '--serving')
    expect(Object.keys(figures)).toEqual(['stores_ndjson', 'contacts_ndjson', 'stores_csv', 'contacts_csv'])
    for (const { import: first, import_again: again, bare_copy } of Object.values(figures)) {
      expect(first).toMatchObject({ inserted: first.read, rejected: 0, service_cpu_seconds: expect.any(Number) })
      expect(again).toMatchObject({ read: first.read, unchanged: first.read })
      expect(Math.min(first.read, bare_copy.per_second)).toBeGreaterThan(0)
    }
  },
  benchTimeoutMs,
)

test(
  'the bench of messy files runs through',
  async () => {
    // All dialects are imported by messy.deep.test.ts.
    const { name } = dialects[0]!
    const args = ['--stores', '1000', '--contacts', '1500', '--only', name, '--report', 'REPORT']
    const { dialects: figures } = await runShortBench<{ dialects: DialectFigures[] }>('messy', ...args)
    expect(figures.map(({ dialect }) => dialect.name)).toEqual([name])
    expect(Math.min(...figuresNamed(figures, ['rows', 'values']))).toBeGreaterThan(0)
  },
  benchTimeoutMs,
)

test(
  'the bench of workbooks runs through',
  async () => {
    const figures = await runShortBench<WorkbookFigures>('workbooks')
    for (const { csv, xlsx } of Object.values(figures)) {
      expect([csv, xlsx]).toMatchObject([
        { read: 2_000, rejected: 0 },
        { read: 2_000, rejected: 0 },
      ])
      expect(Math.min(...figuresNamed([csv, xlsx], ['seconds', 'fileBytes', 'restMb']))).toBeGreaterThan(0)
    }
  },
  benchTimeoutMs,
)

test(
  'the bench of the ledger runs through',
  async () => {
    const figures = await runShortBench<LedgerFigures>('ledger')
    expect(
      Math.min(figures.packed, figures.dropped, ...figuresNamed(figures.charge, ['count', 'p50'])),
    ).toBeGreaterThan(0)
  },
  benchTimeoutMs,
)

test(
  'the bench of exports runs through',
  async () => {
    const figures = await runShortBench<ExportFigures>('exports')
    expect(figures.stores).toBe(2_000)
    expect(
      Math.min(...figuresNamed(figures, ['bytes', 'rowsPerSecond', 'copyRowsPerSecond', 'ratioToCsv'])),
    ).toBeGreaterThan(0)
  },
  benchTimeoutMs,
)
