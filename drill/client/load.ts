import type { Cleanup } from '../../bench/support/cleanup.ts'
import { startWorker } from '../../bench/support/worker.ts'
import type { LatencySummary } from './counts.ts'

/** Requests of one kind, sent from a process of their own. */
export interface Flow {
  name: string
  connections: number
  /** Sent as often as this where a connection is free; null: each connection sends as soon as it has its reply. */
  ratePerSecond: number | null
  /** Whole requests, taken in turn. */
  requests: string[]
  timeoutMs: number
}

export interface LoadTask {
  origin: string
  seconds: number
  flows: Flow[]
}

export interface FlowResult {
  /** How often each status came, or a connection was lost. */
  answers: Record<string, number>
  sent: number
  /** Not sent because no connection was free. */
  notSent: number
  successes: LatencySummary
  others: LatencySummary
}

export type LoadResult = Record<string, FlowResult>

export type LoadGenerator = (task: LoadTask) => Promise<LoadResult>

/** A load generator in a process of its own, so that the drill's own work does not slow it. */
export function openLoadGenerator(cleanup: Cleanup): LoadGenerator {
  const worker = startWorker<LoadTask, LoadResult>(new URL('./load.worker.ts', import.meta.url), cleanup)
  return (task) => worker.call(task)
}
