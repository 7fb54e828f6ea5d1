import { expect } from 'vitest'
import { scopes } from '../../../../src/customers/auth/caller.ts'
import { runCommand } from '../../../doors/cli/support/run-command.ts'
import { startTestApp, type TestApp, type TestKey } from '../../../support/app.ts'
import { spendCredits } from './spend.ts'

export const dayMs = 86_400_000
export const detailMonths = 2

interface Closed {
  until: string | null
  entries: number
  archives: number
  exports: number
  unbalanced: number
}

interface Checked {
  code: number
  entries: number
  archived: number
  append_only: boolean
  differences: Record<string, unknown>[]
}

/** An app with a clock that advances through months, and the commands that close periods. */
export interface ClosingApp {
  app: TestApp
  /** Creates an account whose periods begin with the month. */
  open(): Promise<TestKey>
  /** Looks up the first `count` stores and spends as many credits. */
  spend(key: TestKey, count: number): Promise<void>
  /** Advances the clock day by day and closes periods each day, as a server does. */
  passDays(days: number): Promise<Closed>
  close(...flags: string[]): Promise<Closed>
  check(): Promise<Checked>
  show(key: TestKey, ...flags: string[]): Promise<object[]>
  count(table: string, key: TestKey): Promise<number>
}

export async function startClosingApp(now: string): Promise<ClosingApp> {
  // The tests' clock must be behind the database's, as closing takes the earlier of both.
  expect(Date.parse(now)).toBeLessThan(Date.parse('2026-01-01'))
  const app = await startTestApp({ now, environment: { LEDGER_DETAIL_MONTHS: String(detailMonths) } })
  await app.importStores(
    Array.from({ length: 30 }, (_, index) => ({ domain: `closed-${index}.example`, name: `Closed ${index}` })),
  )
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(app.deps, [...args, '--json'])
    if (code !== 0) throw new Error(`storedex ${args.join(' ')}: ${stderr}`)
    return JSON.parse(stdout)
  }
  const close: ClosingApp['close'] = (...flags) => run('ledger', 'close', ...flags)
  return {
    app,
    open: () => app.key({ scopes, periodStart: '2025-01-01T00:00:00.000Z' }),
    async spend(key, count) {
      for (let store = 0; store < count; store++)
        expect((await key.get(`/stores/closed-${store}.example`)).status).toBe(200)
      await spendCredits(app, key, count)
    },
    close,
    async passDays(days) {
      const sum = { until: null as string | null, entries: 0, archives: 0, exports: 0, unbalanced: 0 }
      for (let day = 0; day < days; day++) {
        app.clock.advance(dayMs)
        const { until, entries, archives, exports, unbalanced } = await close()
        sum.until = until
        sum.entries += entries
        sum.archives += archives
        sum.exports += exports
        sum.unbalanced += unbalanced
      }
      return sum
    },
    async check() {
      const { code, stdout } = await runCommand(app.deps, ['ledger', 'check', '--json'])
      return { code, ...JSON.parse(stdout) }
    },
    show: (key, ...flags) => run('ledger', 'show', key.account, ...flags),
    async count(table, key) {
      const { rows } = await app.db.query<{ count: number }>(
        `select count(*) as count from ${table} where account_id = $1`,
        [app.accountNumber(key.account)],
      )
      return rows[0]!.count
    },
  }
}
