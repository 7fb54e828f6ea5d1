import { setTimeout as delay } from 'node:timers/promises'
import { Counts } from '../../server/test/promises/clients/support/counts.ts'
import { type Answer, HttpConnection, labelOf } from './http-connection.ts'

export interface ProbeOptions {
  origin: string
  text: string
  everyMs: number
  timeoutMs?: number
}

/** One client that repeats a request, one at a time, and records the replies. */
export class Probe {
  readonly answers = new Counts()
  readonly all: { startedAt: number; endedAt: number; answer: Answer }[] = []
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>

  constructor(options: ProbeOptions) {
    this.#running = this.#run(options)
  }

  async #run({ origin, text, everyMs, timeoutMs = 30_000 }: ProbeOptions): Promise<void> {
    const connection = new HttpConnection(origin)
    while (!this.#stopping.signal.aborted) {
      const startedAt = performance.now()
      const answer = await connection.request(text, timeoutMs)
      const endedAt = performance.now()
      this.answers.add(labelOf(answer))
      this.all.push({ startedAt, endedAt, answer })
      const leftMs = Math.max(0, startedAt + everyMs - endedAt)
      await delay(leftMs, undefined, { signal: this.#stopping.signal }).catch(() => {})
    }
    connection.close()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  /** Durations of the 200s. */
  successesMs(): number[] {
    return this.all.filter(({ answer }) => answer.status === 200).map(({ answer }) => answer.ms)
  }
}

/** Milliseconds until a request gets 200; null after the timeout. */
export async function timeUntilServed(origin: string, text: string, maxMs: number): Promise<number | null> {
  const startedAt = performance.now()
  const connection = new HttpConnection(origin)
  try {
    while (performance.now() - startedAt < maxMs) {
      const answer = await connection.request(text, 2_500)
      if (answer.status === 200) return performance.now() - startedAt
      await delay(20)
    }
    return null
  } finally {
    connection.close()
  }
}
