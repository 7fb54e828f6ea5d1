import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { type LiveSegment, mergeSegments, type Segment } from '@storedex/search-index'
import { isTimeOver } from '../../runtime/repeat.ts'
import type { MergeInBackground } from './merge-scheduler.ts'
import type { Feed, ReplicaListener, ReplicaSettings, StartReplica } from './replica.ts'
import { ReplicaSync } from './replica-sync.ts'
import { type ReplicaMessage, deserializeError, ViewDeserializer, ViewSerializer, serializeError } from './thread-messages.ts'

const stopTimeoutMs = 3_000
const firstRetryMs = 1_000
const longestRetryMs = 60_000
/** Who has run for so long has not failed at its start. */
const steadyMs = 60_000

/** A feed in a thread of its own, so that reading, building and merging never keep requests waiting. */
export function runInThread(program: ThreadProgram): StartReplica {
  return (settings, listener) => new ThreadFeed(program, settings, listener)
}

/** Runs the thread, and starts another one when it dies, after pauses that grow. */
class ThreadFeed implements Feed {
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
      // The system may have no room for another thread.
      const cause = await this.#runOnce().catch((error: unknown) => error)
      if (signal.aborted) return
      this.#listener.onView(null)
      this.#listener.onLine(
        'error',
        'the thread of the search index died; PostgreSQL answers until another one is ready',
        cause,
      )
      retryMs = performance.now() - startedAt > steadyMs ? firstRetryMs : Math.min(retryMs * 2, longestRetryMs)
      await isTimeOver(retryMs, signal)
    }
  }

  /** Resolves when the thread has ended, with what it died of. */
  #runOnce(): Promise<unknown> {
    return new Promise((resolve) => {
      const thread = startThread(this.#program, { kind: 'follow', settings: this.#settings, program: this.#program })
      this.#thread = thread
      const receiver = new ViewDeserializer()
      thread.on('message', (message: ReplicaMessage) => this.#take(message, receiver))
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

  #take(message: ReplicaMessage, receiver: ViewDeserializer): void {
    if (message.kind === 'view') this.#listener.onView(message.view && receiver.receive(message.view))
    else if (message.kind === 'report') this.#listener.onReport(message.report)
    else this.#listener.onLine(message.level, message.line, message.cause ? deserializeError(message.cause) : undefined)
  }
}

/** How a thread is run: a file, and arguments of node that it takes. */
export interface ThreadProgram {
  file: string
  execArgv: readonly string[]
}

/** What a thread is there for. */
export type ThreadTask =
  | { kind: 'follow'; settings: ReplicaSettings; program: ThreadProgram }
  | { kind: 'merge'; parts: readonly LiveSegment[] }

const stopMessage = 'stop'

/** A thread of the program, at its task. */
export function startThread({ file, execArgv }: ThreadProgram, task: ThreadTask): Worker {
  // The environment holds passwords, and what a thread needs is in its task.
  return new Worker(file, { workerData: task, execArgv: [...execArgv], env: {}, name: `search ${task.kind}` })
}

/** The body of such a thread. */
export function runThread(): void {
  if (isMainThread || !parentPort) throw new Error('this program is run as a thread')
  const task = workerData as ThreadTask
  if (task.kind === 'merge') parentPort.postMessage(mergeSegments(task.parts))
  else runFollower(task.settings, task.program)
}

function runFollower(settings: ReplicaSettings, program: ThreadProgram): void {
  const port = parentPort!
  const sender = new ViewSerializer()
  const post = (message: ReplicaMessage) => port.postMessage(message)
  const follower = new ReplicaSync(
    settings,
    {
      onView: (view) => post({ kind: 'view', view: view && sender.send(view) }),
      onReport: (report) => post({ kind: 'report', report }),
      onLine: (level, line, cause) => post({ kind: 'line', level, line, cause: serializeError(cause) }),
    },
    mergeInThread(program),
  )
  port.once('message', async () => {
    await follower.close()
    // Nothing is left that would keep the thread alive.
    port.close()
  })
}

/** A thread for one merge; what it takes of memory besides the result goes with it. */
function mergeInThread(program: ThreadProgram): MergeInBackground {
  return (parts) =>
    new Promise<Segment>((resolve, reject) => {
      const thread = startThread(program, { kind: 'merge', parts })
      thread.once('message', resolve)
      thread.once('error', reject)
      thread.once('exit', () => reject(new Error('the thread of a merge ended without a result')))
    })
}
