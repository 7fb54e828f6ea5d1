import { FairSemaphore } from '@storedex/work'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isInjected } from './bodies.ts'

export interface RequestLimitOptions {
  /** Maximum number of requests in flight. */
  maxInFlight: number
  /**
   * The name under which the request shares the limit fairly; null for a request that is never rejected. May throw the
   * error to answer with.
   */
  identifyHolder(request: FastifyRequest, reply: FastifyReply): string | null | Promise<string | null>
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The name under which the request shares limits fairly; null before it is known, and for requests without limits. */
    holder: string | null
    /** Releases the request's permit. */
    releasePermit: (() => void) | null
  }
}

/**
 * Rejects requests beyond the limit before any work is done for them. A request takes its permit when its body has
 * arrived, so that slow senders block no other request, and holds it until its reply is ready. `onSend` runs for every
 * outcome, also after the client has disconnected.
 */
export function limitRequestsInFlight(
  app: FastifyInstance,
  { maxInFlight, identifyHolder }: RequestLimitOptions,
  createError: () => Error,
): void {
  const inFlight = new FairSemaphore(maxInFlight)
  let nextResumeAt = 0
  const nextPauseMs = (): number => {
    const now = performance.now()
    nextResumeAt = Math.min(Math.max(nextResumeAt + resumeIntervalMs, now + minPauseMs), now + maxPauseMs)
    return nextResumeAt - now
  }
  if (!app.hasRequestDecorator('holder')) app.decorateRequest('holder', null)
  app.decorateRequest('releasePermit', null)
  app.addHook('preValidation', (request, reply, done) => {
    const takePermit = (holder: string | null) => {
      if (holder === null) return
      request.holder = holder
      request.releasePermit = inFlight.tryAcquire(holder)
      if (request.releasePermit) return
      pauseConnectionAfterReply(reply, nextPauseMs())
      throw createError()
    }
    const holder = identifyHolder(request, reply)
    if (!(holder instanceof Promise)) {
      takePermit(holder)
      return done()
    }
    holder.then(takePermit).then(() => done(), done)
  })
  app.addHook('onSend', (request, _reply, payload, done) => {
    request.releasePermit?.()
    done(null, payload)
  })
}

/** Reading from a connection pauses after a rejection: at least, and at most. */
const minPauseMs = 500
const maxPauseMs = 2_000
/** Interval between two resumed connections: rejecting retries at full speed would use a whole CPU. */
const resumeIntervalMs = 5

/**
 * Delays the next request of a rejected connection. Immediate retries on hundreds of connections would keep the event
 * loop busy with rejections and delay running requests.
 */
export function pauseConnectionAfterReply(reply: FastifyReply, pauseMs: number): void {
  const { raw } = reply.request
  if (isInjected(raw)) return
  const { socket } = raw
  reply.raw.once('close', () => {
    socket.pause()
    setTimeout(() => socket.resume(), pauseMs).unref()
  })
}
