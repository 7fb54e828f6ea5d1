import { type Cleanup, startWorker } from '@storedex/testkit'
import type { LatencySummary } from './counts.ts'

/** Requests of one kind, sent from a process of their own. */
export interface Flow {
  name: string
  connections: number
  /** Rate, as far as connections are free; null: each connection sends again as soon as it has its reply. */
  ratePerSecond: number | null
  /** Raw requests, sent in order and repeated. */
  requests: string[]
  timeoutMs: number
}

export interface LoadTask {
  origin: string
  seconds: number
  flows: Flow[]
}

export interface FlowResult {
  /** Counts of statuses and of lost connections. */
  answers: Record<string, number>
  sent: number
  /** From the first request to the last reply. */
  seconds: number
  /** Not sent because no connection was free. */
  notSent: number
  successes: LatencySummary
  others: LatencySummary
}

export type LoadResult = Record<string, FlowResult>

export type LoadGenerator = (task: LoadTask) => Promise<LoadResult>

/** A load generator in its own process, so that the drill's work does not slow it. */
export function openLoadGenerator(cleanup: Cleanup): LoadGenerator {
  const worker = startWorker<LoadTask, LoadResult>(new URL('./load.worker.ts', import.meta.url), cleanup)
  return (task) => worker.call(task)
}
