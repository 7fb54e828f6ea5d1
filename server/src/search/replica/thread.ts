import { type LiveSegment, mergeSegments, type Segment } from '@storedex/search-index'
import { deserializeError, serializeError, Thread, type ThreadProgram, threadPort } from '@storedex/work'
import { collectGarbage } from '../../foundation/runtime/collect-garbage.ts'
import { sleepUnlessStopped } from '../../foundation/runtime/timing.ts'
import type { MergeInBackground } from './merge-scheduler.ts'
import type { Replica, ReplicaListener, ReplicaSettings, StartReplica } from './replica.ts'
import { ReplicaSync } from './replica-sync.ts'
import { IndexDeserializer, IndexSerializer, type ReplicaMessage } from './thread-messages.ts'

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
  #thread: Thread<Stop, ReplicaMessage> | null = null

  constructor(program: ThreadProgram, settings: ReplicaSettings, listener: ReplicaListener) {
    this.#program = program
    this.#settings = settings
    this.#listener = listener
    this.#running = this.#run()
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#thread?.stop('stop', stopTimeoutMs)
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
  async #runOnce(): Promise<unknown> {
    const deserializer = new IndexDeserializer()
    const task: ThreadTask = { kind: 'sync', settings: this.#settings, program: this.#program }
    this.#thread = startThread(this.#program, task)
    this.#thread.onMessage((message) => this.#handleMessage(message, deserializer))
    const cause = await this.#thread.ended
    this.#thread = null
    return cause
  }

  #handleMessage(message: ReplicaMessage, deserializer: IndexDeserializer): void {
    if (message.kind === 'index') this.#listener.onIndex(message.index && deserializer.deserialize(message.index))
    else if (message.kind === 'report') this.#listener.onReport(message.report)
    else this.#listener.onLog(message.level, message.line, message.cause ? deserializeError(message.cause) : undefined)
  }
}

export type ThreadTask =
  | { kind: 'sync'; settings: ReplicaSettings; program: ThreadProgram }
  | { kind: 'merge'; parts: readonly LiveSegment[] }

/** The only message to a thread. */
type Stop = 'stop'

export function startThread<Out>(program: ThreadProgram, task: ThreadTask): Thread<Stop, Out> {
  return new Thread(program, { name: `search ${task.kind}`, task })
}

/** The main function of the thread program. */
export function runThread(): void {
  const { task, post } = threadPort<ThreadTask, Stop, Segment>()
  if (task.kind === 'merge') post(mergeSegments(task.parts, collectGarbage))
  else runReplicaSync(task.settings, task.program)
}

function runReplicaSync(settings: ReplicaSettings, program: ThreadProgram): void {
  const { post, onMessage, close } = threadPort<ThreadTask, Stop, ReplicaMessage>()
  const serializer = new IndexSerializer()
  const replica = new ReplicaSync(
    settings,
    {
      onIndex: (index) => post({ kind: 'index', index: index && serializer.serialize(index) }),
      onReport: (report) => post({ kind: 'report', report }),
      onLog: (level, line, cause) => post({ kind: 'line', level, line, cause: serializeError(cause) }),
    },
    mergeInThread(program),
  )
  onMessage(async () => {
    await replica.close()
    close()
  })
}

/** One thread per merge: its working memory is freed with it. */
function mergeInThread(program: ThreadProgram): MergeInBackground {
  return (parts) =>
    new Promise<Segment>((resolve, reject) => {
      const thread = startThread<Segment>(program, { kind: 'merge', parts })
      thread.onMessage(resolve)
      void thread.ended.then((cause) => reject(cause ?? new Error('the merge thread ended without a result')))
    })
}
