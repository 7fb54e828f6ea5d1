import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { StripeError } from './errors.ts'

/** Injected faults. All are off at start; they are not saved. */
export interface Faults {
  /** Delay of every API reply, in real milliseconds. */
  slow_ms: number
  /** Number of requests to fail before any work is done. */
  fail_next: number
  /** Share of requests, 0 to 1, that fail before any work is done. */
  fail_rate: number
  /** Number of requests to fail after the work is done; a repeat with the same key replays the failure. */
  fail_after: number
  /** HTTP status of these failures; 0 breaks the connection. */
  status: number
  /** Number of replies to cut off half way, after the work is done. */
  half_answer: number
  /** Share of events, 0 to 1, that are never sent but count as delivered. */
  drop_events: number
  /** Share of events, 0 to 1, that are sent twice. */
  duplicate_events: number
  /** Pending events are sent in random order, and some are delayed so that later ones overtake them. */
  reorder_events: boolean
  /** Delay before the first attempt, in milliseconds of the stand-in's clock. */
  late_ms: number
}

export const noFaults: Readonly<Faults> = {
  slow_ms: 0,
  fail_next: 0,
  fail_rate: 0,
  fail_after: 0,
  status: 500,
  half_answer: 0,
  drop_events: 0,
  duplicate_events: 0,
  reorder_events: false,
  late_ms: 0,
}

/** The active faults and the random generator for shares; a seed makes it repeatable. */
export class FaultInjector {
  current: Faults = { ...noFaults }
  private random = mulberry32(1)

  set(faults: Partial<Faults>, seed?: number): void {
    if (seed !== undefined) this.random = mulberry32(seed)
    this.current = { ...this.current, ...faults }
  }

  happens(share: number): boolean {
    return share > 0 && this.random() < share
  }

  shuffle<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, order: this.random() }))
      .sort((one, other) => one.order - other.order)
      .map(({ item }) => item)
  }

  /** Decrements a counted fault; false if none is left. */
  consume(fault: 'fail_next' | 'fail_after' | 'half_answer'): boolean {
    if (this.current[fault] <= 0) return false
    this.current[fault] -= 1
    return true
  }
}

/** The mulberry32 generator: small, fast, and the same on every platform. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Delays a request, or fails it before any work is done, according to the faults. */
export async function injectRequestFault(
  faults: FaultInjector,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { slow_ms, fail_rate, status } = faults.current
  if (slow_ms > 0) await pause(slow_ms)
  if (!faults.consume('fail_next') && !faults.happens(fail_rate)) return
  if (status === 0) {
    reply.hijack()
    request.raw.destroy()
    return
  }
  throw injectedError(status)
}

/** The error for a request that is to fail after its work is done. */
export function takeFailureAfterWork(faults: FaultInjector): StripeError | undefined {
  return faults.consume('fail_after') ? injectedError(faults.current.status || 500) : undefined
}

function injectedError(status: number): StripeError {
  const type = status < 500 ? 'invalid_request_error' : 'api_error'
  return new StripeError(status, type, 'This failure was injected on request.', {
    ...(status === 429 && { code: 'rate_limit' }),
  })
}

/** Sends the first half of a reply and closes the connection. */
export function sendHalfReply(reply: FastifyReply, body: string): FastifyReply {
  const bytes = Buffer.from(body)
  reply.hijack()
  reply.raw.writeHead(reply.statusCode, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-length': bytes.length,
  })
  reply.raw.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => reply.raw.destroy())
  return reply
}
