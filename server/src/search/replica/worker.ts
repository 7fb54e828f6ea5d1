import type { Worker } from 'node:worker_threads'
import { isTimeOver } from '../../kernel/wait.ts'
import type { Feed, FeedListener, FeedSettings, StartFeed } from './replica.ts'
import { startThread, stopMessage, type ThreadProgram } from './thread.ts'
import { type FeedMessage, unwireError, ViewReceiver } from './thread-messages.ts'

const stopTimeoutMs = 3_000
const firstRetryMs = 1_000
const longestRetryMs = 60_000
/** Who has run for so long has not failed at its start. */
const steadyMs = 60_000

/** A feed in a thread of its own, so that reading, building and merging never keep requests waiting. */
export function feedInThread(program: ThreadProgram): StartFeed {
  return (settings, listener) => new ThreadFeed(program, settings, listener)
}

/** Runs the thread, and starts another one when it dies, after pauses that grow. */
class ThreadFeed implements Feed {
  readonly #program: ThreadProgram
  readonly #settings: FeedSettings
  readonly #listener: FeedListener
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>
  #thread: Worker | null = null

  constructor(program: ThreadProgram, settings: FeedSettings, listener: FeedListener) {
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
      const receiver = new ViewReceiver()
      thread.on('message', (message: FeedMessage) => this.#take(message, receiver))
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

  #take(message: FeedMessage, receiver: ViewReceiver): void {
    if (message.kind === 'view') this.#listener.onView(message.view && receiver.receive(message.view))
    else if (message.kind === 'report') this.#listener.onReport(message.report)
    else this.#listener.onLine(message.level, message.line, message.cause ? unwireError(message.cause) : undefined)
  }
}
