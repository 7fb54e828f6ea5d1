import type { Worker } from '../support/worker.ts'
import type { Cost } from './cost.ts'
import type { CountingProxy } from './counting-proxy.ts'
import type { BenchDatabase } from './installation.ts'
import type { SqlAnswer, SqlQuestion } from './limits/sql.worker.ts'
import { type Operation, operations } from './load/workload.ts'

const timing = { warmupMs: 0, measuredMs: 200 }

/** The bare loop is a limit only while it sends what the service sends; once they differ the bench refuses to go on. */
export async function requireSameSql(
  sql: Worker<SqlQuestion, SqlAnswer>,
  proxy: CountingProxy,
  database: BenchDatabase,
  costs: Record<Operation, Cost>,
): Promise<void> {
  for (const operation of operations) {
    await database.emptyLedger()
    const before = proxy.traffic
    const run = await sql.ask({ run: { operation, accounts: 1, connections: 1, timing } })
    const after = proxy.traffic
    const bare = {
      statements: (after.statements - before.statements) / run!.answered,
      roundTrips: (after.roundTrips - before.roundTrips) / run!.answered,
    }
    const { statements, roundTrips } = costs[operation]
    if (bare.statements !== statements || bare.roundTrips !== roundTrips)
      throw new Error(
        `For ${operation} the service sends ${statements} statements in ${roundTrips} round trips, the bare loop ${bare.statements} in ${bare.roundTrips}: bring bench/api/bare-sql.ts up to date.`,
      )
  }
}
