import { availableParallelism } from 'node:os'
import type { CountResult } from '@storedex/search-index'
import { deserializeError, Thread, type ThreadProgram } from '@storedex/work'
import { Refusal } from '../../foundation/kernel/errors.ts'
import type { CatalogueIndex, ReplicaListener } from '../replica/replica.ts'
import { IndexSerializer } from '../replica/thread-messages.ts'
import type { Counter, CountJob, StartCounting } from './counter.ts'
import type { FromCountThread, ToCountThread } from './messages.ts'
import { CountQueue, type CountQueueLimits, canceled } from './queue.ts'

/** Half of the processors, so that the other half serves requests and PostgreSQL. */
const defaultLimits: CountQueueLimits = {
  permits: Math.min(4, Math.max(1, Math.floor(availableParallelism() / 2))),
  maxWaitMs: 2_000,
  maxPerHolder: 16,
}

/** Counts in threads of their own, so that counting does not delay requests. */
export function countInThreads(program: ThreadProgram, limits: Partial<CountQueueLimits> = {}): StartCounting {
  return (onLog) => new CountThreads(program, { ...defaultLimits, ...limits }, onLog)
}

class CountThreads implements Counter {
  readonly #queue: CountQueue
  readonly #free: CountThread[]
  readonly #threads: readonly CountThread[]

  constructor(program: ThreadProgram, limits: CountQueueLimits, onLog: ReplicaListener['onLog']) {
    this.#queue = new CountQueue(limits)
    this.#threads = Array.from({ length: limits.permits }, () => new CountThread(program, onLog))
    this.#free = [...this.#threads]
  }

  count(job: CountJob): Promise<CountResult> {
    return this.#queue.run(job.holder, job.signal, async () => {
      // There are as many threads as permits.
      const thread = this.#free.pop()!
      try {
        return await thread.count(job)
      } finally {
        this.#free.push(thread)
      }
    })
  }

  follow(index: CatalogueIndex | null): void {
    for (const thread of this.#threads) thread.follow(index)
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()))
  }
}

/** A thread that starts with the first index and is replaced when it dies; it answers one count at a time. */
class CountThread {
  readonly #program: ThreadProgram
  readonly #onLog: ReplicaListener['onLog']
  #thread: Thread<ToCountThread, FromCountThread> | null = null
  #serializer = new IndexSerializer()
  #waiting: { canceled: Int32Array; settle(answer: FromCountThread | { kind: 'died'; cause: unknown }): void } | null =
    null
  #isClosed = false

  constructor(program: ThreadProgram, onLog: ReplicaListener['onLog']) {
    this.#program = program
    this.#onLog = onLog
  }

  follow(index: CatalogueIndex | null): void {
    if (!index && !this.#thread) return
    this.#post({ kind: 'follow', index: this.#serializer.serialize(index ?? noIndex) })
  }

  async count({ index, mode, request, signal }: CountJob): Promise<CountResult> {
    if (this.#isClosed) throw stopped('the service is stopping')
    const flag = new Int32Array(new SharedArrayBuffer(4))
    const cancel = () => Atomics.store(flag, 0, 1)
    signal?.addEventListener('abort', cancel)
    try {
      const answer = await new Promise<FromCountThread | { kind: 'died'; cause: unknown }>((settle) => {
        this.#waiting = { canceled: flag, settle }
        this.#post({ kind: 'count', index: this.#serializer.serialize(index), mode, request, canceled: flag })
      })
      if (answer.kind === 'counted') return answer.result
      if (answer.kind === 'canceled') throw canceled()
      if (answer.kind === 'died') throw stopped('the counting thread died', answer.cause)
      throw answer.error ? deserializeError(answer.error) : new Error('counting failed')
    } finally {
      this.#waiting = null
      signal?.removeEventListener('abort', cancel)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#waiting) Atomics.store(this.#waiting.canceled, 0, 1)
    await this.#thread?.kill()
  }

  #post(message: ToCountThread): void {
    if (this.#isClosed) return
    try {
      this.#thread ??= this.#start()
      this.#thread.post(message)
    } catch (cause) {
      // Starting fails if the system has no room for another thread.
      this.#die(cause)
    }
  }

  #start(): Thread<ToCountThread, FromCountThread> {
    const thread = new Thread<ToCountThread, FromCountThread>(this.#program, { name: 'search count' })
    thread.onMessage((answer) => this.#waiting?.settle(answer))
    void thread.ended.then((cause) => {
      if (this.#thread === thread) this.#die(cause)
    })
    return thread
  }

  /** The next message starts another thread, which needs every segment again. */
  #die(cause: unknown): void {
    this.#thread = null
    this.#serializer = new IndexSerializer()
    if (!this.#isClosed) this.#onLog('error', 'a counting thread died; the next count starts another', cause)
    this.#waiting?.settle({ kind: 'died', cause })
  }
}

const noIndex: CatalogueIndex = { batch: 0, lists: { live: [], test: [] } }

function stopped(reason: string, cause?: unknown): Refusal {
  return new Refusal('service_unavailable', 'Counting was interrupted; try again.', {
    cause: cause ?? new Error(reason),
  })
}
