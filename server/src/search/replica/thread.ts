import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { type LiveSegment, mergeSegments, type Segment } from '@storedex/search-index'
import { collectGarbage } from '../../foundation/runtime/collect-garbage.ts'
import { sleepUnlessStopped } from '../../foundation/runtime/timing.ts'
import type { MergeInBackground } from './merge-scheduler.ts'
import type { Replica, ReplicaListener, ReplicaSettings, StartReplica } from './replica.ts'
import { ReplicaSync } from './replica-sync.ts'
import {
  deserializeError,
  IndexDeserializer,
  IndexSerializer,
  type ReplicaMessage,
  serializeError,
} from './thread-messages.ts'

const stopTimeoutMs = 3_000
const firstRetryMs = 1_000
const longestRetryMs = 60_000
/** A thread that ran this long resets the backoff. */
const steadyMs = 60_000

/** Runs the replica in a thread of its own, so that reading, building and merging do not delay requests. */
export function runInThread(program: ThreadProgram): StartReplica {
  return (settings, listener) => new ReplicaThread(program, settings, listener)
}

/** Restarts the thread with exponential backoff when it dies. */
class ReplicaThread implements Replica {
  readonly #program: ThreadProgram
  readonly #settings: ReplicaSettings
  readonly #listener: ReplicaListener
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>
  #thread: Worker | null = null

  constructor(program: ThreadProgram, settings: ReplicaSettings, listener: ReplicaListener) {
    this.#program = program
    this.#settings = settings
    this.#listener = listener
    this.#running = this.#run()
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    const thread = this.#thread
    if (thread) {
      thread.postMessage(stopMessage)
      const kill = setTimeout(() => thread.terminate(), stopTimeoutMs)
      await this.#running
      clearTimeout(kill)
    }
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    let retryMs = firstRetryMs
    while (!signal.aborted) {
      const startedAt = performance.now()
      // Starting fails if the system has no room for another thread.
      const cause = await this.#runOnce().catch((error: unknown) => error)
      if (signal.aborted) return
      this.#listener.onIndex(null)
      this.#listener.onLog('error', 'the search index thread died; PostgreSQL answers until a new one is ready', cause)
      retryMs = performance.now() - startedAt > steadyMs ? firstRetryMs : Math.min(retryMs * 2, longestRetryMs)
      await sleepUnlessStopped(retryMs, signal)
    }
  }

  /** Resolves with the cause of death when the thread has ended. */
  #runOnce(): Promise<unknown> {
    return new Promise((resolve) => {
      const thread = startThread(this.#program, { kind: 'sync', settings: this.#settings, program: this.#program })
      this.#thread = thread
      const deserializer = new IndexDeserializer()
      thread.on('message', (message: ReplicaMessage) => this.#handleMessage(message, deserializer))
      let cause: unknown
      thread.on('error', (error) => {
        cause = error
      })
      thread.once('exit', () => {
        this.#thread = null
        resolve(cause)
      })
    })
  }

  #handleMessage(message: ReplicaMessage, deserializer: IndexDeserializer): void {
    if (message.kind === 'index') this.#listener.onIndex(message.index && deserializer.deserialize(message.index))
    else if (message.kind === 'report') this.#listener.onReport(message.report)
    else this.#listener.onLog(message.level, message.line, message.cause ? deserializeError(message.cause) : undefined)
  }
}

/** The program of a thread and its Node arguments. */
export interface ThreadProgram {
  file: string
  execArgv: readonly string[]
}

export type ThreadTask =
  | { kind: 'sync'; settings: ReplicaSettings; program: ThreadProgram }
  | { kind: 'merge'; parts: readonly LiveSegment[] }

const stopMessage = 'stop'

export function startThread({ file, execArgv }: ThreadProgram, task: ThreadTask): Worker {
  // The environment holds passwords; the task has everything the thread needs.
  return new Worker(file, { workerData: task, execArgv: [...execArgv], env: {}, name: `search ${task.kind}` })
}

/** The main function of the thread program. */
export function runThread(): void {
  if (isMainThread || !parentPort) throw new Error('this program must run as a thread')
  const task = workerData as ThreadTask
  if (task.kind === 'merge') parentPort.postMessage(mergeSegments(task.parts, collectGarbage))
  else runReplicaSync(task.settings, task.program)
}

function runReplicaSync(settings: ReplicaSettings, program: ThreadProgram): void {
  const port = parentPort!
  const serializer = new IndexSerializer()
  const post = (message: ReplicaMessage) => port.postMessage(message)
  const replica = new ReplicaSync(
    settings,
    {
      onIndex: (index) => post({ kind: 'index', index: index && serializer.serialize(index) }),
      onReport: (report) => post({ kind: 'report', report }),
      onLog: (level, line, cause) => post({ kind: 'line', level, line, cause: serializeError(cause) }),
    },
    mergeInThread(program),
  )
  port.once('message', async () => {
    await replica.close()
    // The open port would keep the thread alive.
    port.close()
  })
}

/** One thread per merge: its working memory is freed with it. */
function mergeInThread(program: ThreadProgram): MergeInBackground {
  return (parts) =>
    new Promise<Segment>((resolve, reject) => {
      const thread = startThread(program, { kind: 'merge', parts })
      thread.once('message', resolve)
      thread.once('error', reject)
      thread.once('exit', () => reject(new Error('the merge thread ended without a result')))
    })
}
