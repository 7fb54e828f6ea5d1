import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { operations } from '../api/load/workload.ts'
import type { ImportComparisons } from '../compare/imports.ts'
import type { CompareResults } from '../compare/results.ts'
import type { StatementResults } from '../statements/bench.ts'
import { benchTimeoutMs, figuresNamed, runShortBench } from './support/short-bench.ts'

/** Why this version cannot be compared with a commit here; null if it can. A shallow clone has its last commit whole. */
function whyNoBaseline(): string | null {
  try {
    const options = { cwd: import.meta.dirname, encoding: 'utf8', stdio: 'pipe' } as const
    execFileSync('git', ['rev-parse', '--verify', 'HEAD^{tree}'], options)
    return null
  } catch {
    return 'this copy of the project has no git history to take a baseline from'
  }
}
const missing = whyNoBaseline()

test(
  'the comparison of two versions runs through',
  async (context) => {
    if (missing !== null) context.skip(missing)
    // A read and a charge; the API's own bench goes through all operations.
    const compared = ['search', 'reveal_1']
    const args = ['--baseline', 'HEAD', '--only', compared.join(','), '--report', 'REPORT']
    const { comparisons, besideImport } = await runShortBench<CompareResults>('compare', ...args)
    expect(new Set(comparisons.map(({ operation }) => operation))).toEqual(new Set(compared))
    const rounds = comparisons.flatMap((comparison) => comparison.rounds)
    expect(Math.min(...figuresNamed(rounds, ['perSecond', 'nodeMicros']))).toBeGreaterThan(0)
    expect(Math.min(...figuresNamed(besideImport, ['perSecond', 'importSeconds']))).toBeGreaterThan(0)
  },
  benchTimeoutMs,
)

test(
  'the comparison of imports runs through',
  async (context) => {
    if (missing !== null) context.skip(missing)
    const { imports } = await runShortBench<ImportComparisons>('import', '--baseline', 'HEAD')
    expect(imports.map(({ name }) => name)).toEqual(['stores_ndjson', 'contacts_ndjson', 'stores_csv', 'contacts_csv'])
    expect(Math.min(...figuresNamed(imports, ['speed', 'processorTime', 'perSecond']))).toBeGreaterThan(0)
  },
  benchTimeoutMs,
)

test(
  'the comparison of statements runs through, and nothing fails when it is sent again',
  async (context) => {
    if (missing !== null) context.skip(missing)
    const results = await runShortBench<StatementResults>('statements', '--baseline', 'HEAD', '--report', 'REPORT')
    expect(results.failed).toEqual([])
    const names = results.operations.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining([...operations, 'import of new stores']))
    expect(Math.min(...figuresNamed(results.operations, ['oldMs', 'newMs']))).toBeGreaterThan(0)
  },
  benchTimeoutMs,
)
