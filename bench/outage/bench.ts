import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Cleanup, median, startWorker } from '@storedex/testkit'
import { serveWith } from '../../server/test/support/programs/program.ts'
import type { Workspace } from '../../server/test/support/programs/workspace.ts'
import type { ApiBenchOptions } from '../api/bench.ts'
import { prepareInstallation, warmupMs } from '../api/installation.ts'
import { prepareLoad } from '../api/load/load.ts'
import type { LoadTask } from '../api/load/load.worker.ts'
import { type Figures, timingOf } from '../api/load/stopwatch.ts'
import type { Operation } from '../api/load/workload.ts'
import { callBillingRepeatedly, openCustomers, startSilentProvider } from './billing-calls.ts'

const customerCount = 8

interface OutageFigures {
  /** Medians of the rounds. */
  normalP99Ms: number
  outageP99Ms: number
  /** The median of the ratios within a round. */
  outageToNormal: number
}
export type OutageReport = Partial<Record<Operation, OutageFigures>>

/** Measures how slow data calls get while the payment provider does not answer and billing calls pile up. */
export async function benchOutage(
  options: ApiBenchOptions,
  workspace: Workspace,
  cleanup: Cleanup,
  report: (progress: string) => void,
): Promise<OutageReport> {
  const { program, keys, database, workload } = await prepareInstallation(options, workspace, cleanup, report)
  report(`opening ${customerCount} accounts that the payment provider knows`)
  const customers = await openCustomers(program, workspace, customerCount)

  const provider = await startSilentProvider(cleanup)
  const webhookSecret = `whsec_${randomBytes(16).toString('hex')}`
  const { api } = await serveWith(options.engine, program, {
    STRIPE_SECRET_KEY: 'sk_test_bench',
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_API_BASE: provider.url,
  })
  const { origin } = new URL(api)
  const load = await prepareLoad(origin, workload, keys, options.connections)
  const loader = startWorker<LoadTask, Figures>(new URL('../api/load/load.worker.ts', import.meta.url), cleanup)
  const timing = timingOf(options.seconds, warmupMs)
  const measure = (operation: Operation) =>
    loader.call({ origin, allowRepeats: false, connections: load[operation], timing })

  const duringOutage = async (operation: Operation): Promise<Figures> => {
    const calls = new AbortController()
    const billingCalls = callBillingRepeatedly(api, webhookSecret, customers, calls.signal)
    // The failure is thrown below, after the load has ended.
    billingCalls.catch(() => {})
    while (provider.waiting() === 0) await delay(20)
    try {
      return await measure(operation)
    } finally {
      calls.abort()
      provider.closeConnections()
      await billingCalls
    }
  }

  await database.settle()
  const rounds = new Map(options.operations.map((operation) => [operation, [] as [number, number][]]))
  for (let round = 0; round < options.rounds; round++)
    for (const [operation, figures] of rounds) {
      const p99Of = async (run: (operation: Operation) => Promise<Figures>) => {
        await database.emptyLedger()
        return (await run(operation)).p99Ms
      }
      // Alternate the order.
      const outageFirst = round % 2 === 1 ? await p99Of(duringOutage) : null
      const normal = await p99Of(measure)
      const outage = outageFirst ?? (await p99Of(duringOutage))
      figures.push([normal, outage])
      report(`round ${round + 1}, ${operation}: p99 ${normal.toFixed(1)} ms, in the outage ${outage.toFixed(1)} ms`)
    }
  return Object.fromEntries([...rounds].map(([operation, figures]) => [operation, outcomeOf(figures)]))
}

function outcomeOf(figures: readonly [normal: number, outage: number][]): OutageFigures {
  const middle = (values: number[]) => Math.round(median(values) * 100) / 100
  return {
    normalP99Ms: middle(figures.map(([normal]) => normal)),
    outageP99Ms: middle(figures.map(([, outage]) => outage)),
    outageToNormal: middle(figures.map(([normal, outage]) => outage / normal)),
  }
}
