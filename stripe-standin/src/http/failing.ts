import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FaultBox } from '../control/faults.ts'
import { StripeError } from './errors.ts'
import type { Reply } from './idempotency.ts'

/** Holds a request up, or lets it fail before anything is done, as the faults say. */
export async function failOnPurpose(faults: FaultBox, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { slow_ms, fail_rate, status } = faults.current
  if (slow_ms > 0) await pause(slow_ms)
  if (!faults.takeOne('fail_next') && !faults.happens(fail_rate)) return
  if (status === 0) {
    reply.hijack()
    request.raw.destroy()
    return
  }
  throw wantedFailure(status)
}

/** The reply of a request that fails after its work was done, as the faults say. */
export function failureAfterwards(faults: FaultBox): Reply | undefined {
  if (!faults.takeOne('fail_after')) return undefined
  const failure = wantedFailure(faults.current.status || 500)
  return { status: failure.status, body: JSON.stringify(failure.body()) }
}

function wantedFailure(status: number): StripeError {
  const type = status < 500 ? 'invalid_request_error' : 'api_error'
  return new StripeError(status, type, 'A fault was asked for.', { ...(status === 429 && { code: 'rate_limit' }) })
}

/** Sends the first half of a reply and breaks the connection. */
export function breakOff(reply: FastifyReply, body: string): FastifyReply {
  const bytes = Buffer.from(body)
  reply.hijack()
  reply.raw.writeHead(reply.statusCode, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-length': bytes.length,
  })
  reply.raw.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => reply.raw.destroy())
  return reply
}
