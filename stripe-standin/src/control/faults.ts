import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { StripeError } from '../http/errors.ts'
/** What goes wrong on request. All of it is off at a start and forgotten at an end. */
export interface Faults {
  /** Every reply of the API is held back for so long, in real milliseconds. */
  slow_ms: number
  /** So many next requests fail before anything is done. */
  fail_next: number
  /** The share of requests, 0 to 1, that fail before anything is done. */
  fail_rate: number
  /** So many next requests fail after all was done; with the same key the failure comes again. */
  fail_after: number
  /** With what they fail: an HTTP status, or 0 for a connection that just breaks. */
  status: number
  /** So many next replies break off half way, after the work is done. */
  half_answer: number
  /** The share of events, 0 to 1, that never arrive, though they count as delivered. */
  drop_events: number
  /** The share of events, 0 to 1, that are sent twice. */
  duplicate_events: number
  /** Events that wait together are sent in any order, and some are overtaken by later ones. */
  reorder_events: boolean
  /** Events are first sent so much later, in milliseconds of the stand-in's clock. */
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

/** The faults that are on, and the dice that decide where a share is meant; a seed makes the dice repeatable. */
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

  shuffle<T>(things: readonly T[]): T[] {
    return things
      .map((thing) => ({ thing, place: this.random() }))
      .sort((one, other) => one.place - other.place)
      .map(({ thing }) => thing)
  }

  /** Uses up one of a counted fault; false when none is left. */
  consume(fault: 'fail_next' | 'fail_after' | 'half_answer'): boolean {
    if (this.current[fault] <= 0) return false
    this.current[fault] -= 1
    return true
  }
}

/** The generator mulberry32: small, fast, the same everywhere. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Holds a request up, or lets it fail before anything is done, as the faults say. */
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

/** The error of a request that fails after its work was done, as the faults say. */
export function takeFailureAfterWork(faults: FaultInjector): StripeError | undefined {
  return faults.consume('fail_after') ? injectedError(faults.current.status || 500) : undefined
}

function injectedError(status: number): StripeError {
  const type = status < 500 ? 'invalid_request_error' : 'api_error'
  return new StripeError(status, type, 'A fault was asked for.', { ...(status === 429 && { code: 'rate_limit' }) })
}

/** Sends the first half of a reply and breaks the connection. */
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
