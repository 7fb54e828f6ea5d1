import type { MetricObjectWithValues, MetricValue } from 'prom-client'

/** The figures of one process, as its registry gives them. */
export type ProcessMetrics = MetricObjectWithValues<MetricValue<string>>[]

/** The assignment of a starting worker. A newer worker may get it from an older supervisor. */
export interface WorkerAssignment {
  /** Its number, 1 to the number of workers; its replacement gets the same one. */
  number: number
  workers: number
  port: number
  /** Connections for its requests. */
  maxConnections: number
}

export interface WorkerState {
  /** Whether `GET /readyz` would answer 200. */
  isReady: boolean
  engine: 'memory' | 'postgres'
  /** The batch of its search index. */
  batch: number | null
  /** Whether its index was read from a snapshot, or is in one that others can read. */
  hasSnapshot: boolean
}

export interface WorkerAnswers {
  state: WorkerState
  metrics: ProcessMetrics
}

/**
 * `listen`: take connections from now on. `handOver`: another process takes the new connections; end when the clients of the
 * open ones have moved. `stop`: shut down.
 */
export type ToWorker =
  | { kind: 'start'; assignment: WorkerAssignment }
  | { kind: 'ask'; id: number; about: keyof WorkerAnswers }
  | { kind: 'listen' }
  | { kind: 'handOver' }
  | { kind: 'stop' }

/** `loaded`: messages can be received; Node drops earlier ones. `opened`: its resources are open. `failed`: it ends, and why. `ended`: its last figures. */
export type FromWorker =
  | { kind: 'loaded' }
  | { kind: 'opened' }
  | { kind: 'listening' }
  | { kind: 'failed'; sentence: string; isPortTaken: boolean }
  | { kind: 'answer'; id: number; content: WorkerAnswers[keyof WorkerAnswers] }
  | { kind: 'ended'; metrics: ProcessMetrics }
