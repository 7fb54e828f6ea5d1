import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../kernel/errors.ts'
import { FairPlaces } from './fair-places.ts'

export interface OverloadOptions {
  /** Requests at work at once. */
  places: number
  /** For whom a request works, as far as can be told before anything is looked up; null for one that is never shed. */
  holderOf(request: FastifyRequest): string | null
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
export function shedOverload(app: FastifyInstance, { places, holderOf }: OverloadOptions): void {
  const atWork = new FairPlaces(places)
  app.decorateRequest('leavePlace', null)
  app.addHook('preValidation', (request, reply, done) => {
    const holder = holderOf(request)
    if (holder !== null) {
      request.leavePlace = atWork.take(holder)
      if (!request.leavePlace) {
        reply.raw.once('close', () => restConnection(request.raw.socket))
        throw new OverloadError()
      }
    }
    done()
  })
  app.addHook('onSend', (request, _reply, payload, done) => {
    request.leavePlace?.()
    done(null, payload)
  })
}

const restMs = 500

/**
 * Whoever asks again at once, hundreds of connections at a time, would keep the event loop busy with refusals, and requests
 * at work would wait for it. So the next request of a connection that was refused is read a little later.
 */
function restConnection(socket: Socket): void {
  socket.pause()
  setTimeout(() => socket.resume(), restMs).unref()
}
