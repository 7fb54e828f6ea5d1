import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../kernel/errors.ts'
import { FairSemaphore } from '../runtime/fairness.ts'

export interface RequestLimitOptions {
  /** Requests at work at once. */
  maxInFlight: number
  /** Whose request it is: its account; null for one that is never shed. Throws for a caller who cannot be known. */
  identifyHolder(request: FastifyRequest, reply: FastifyReply): string | null | Promise<string | null>
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Gives the request's place among those at work back. */
    leavePlace: (() => void) | null
  }
}

/** The refusal of a request that there was no room for. */
export class OverloadError extends ApiError {
  constructor() {
    super('service_unavailable', 'The service is at work on too many requests; try again in a moment.')
    this.name = 'OverloadError'
  }
}

/**
 * Refuses requests that would only wait, before any work is done for them. A request takes its place once its body is here,
 * so that whoever sends slowly keeps nobody out, and holds it until its reply is ready: every way that a request can go ends
 * in `onSend`, also when nobody listens any more.
 */
export function limitRequestsInFlight(
  app: FastifyInstance,
  { maxInFlight, identifyHolder }: RequestLimitOptions,
): void {
  const atWork = new FairSemaphore(maxInFlight)
  let nextReadAt = 0
  const takeRestMs = (): number => {
    const now = performance.now()
    nextReadAt = Math.min(Math.max(nextReadAt + paceMs, now + shortestRestMs), now + longestRestMs)
    return nextReadAt - now
  }
  app.decorateRequest('leavePlace', null)
  app.addHook('preValidation', (request, reply, done) => {
    const takePlace = (holder: string | null) => {
      if (holder === null) return
      request.holder = holder
      request.leavePlace = atWork.tryAcquire(holder)
      if (request.leavePlace) return
      pauseConnectionAfterReply(reply, takeRestMs())
      throw new OverloadError()
    }
    const holder = identifyHolder(request, reply)
    if (!(holder instanceof Promise)) {
      takePlace(holder)
      return done()
    }
    holder.then(takePlace).then(() => done(), done)
  })
  app.addHook('onSend', (request, _reply, payload, done) => {
    request.leavePlace?.()
    done(null, payload)
  })
}

/** How long a connection rests after a refusal, at least and at most. */
const shortestRestMs = 500
const longestRestMs = 2_000
/** Between two connections that are read again: refusing all of them as fast as they ask would take a processor. */
const paceMs = 5

/**
 * Callers who ask again at once, on hundreds of connections, would keep the event loop busy with refusals, and requests at
 * work would wait for it. So the next request of a connection that was refused is read a little later.
 */
export function pauseConnectionAfterReply(reply: FastifyReply, restMs: number): void {
  const { socket } = reply.request.raw
  reply.raw.once('close', () => {
    socket.pause()
    setTimeout(() => socket.resume(), restMs).unref()
  })
}
