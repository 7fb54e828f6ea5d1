import type { FastifyInstance } from 'fastify'
import { ApiError } from '../kernel/errors.ts'
import type { BodyBudget } from './body-budget.ts'
import type { ConnectionManager } from './connections.ts'

/** The server's way out: requests at work finish, new ones are told to come back, then connections close. */
interface Drain {
  /** From here on new requests are refused. The server still listens, so that they are told. */
  begin(): void
  readonly isDraining: boolean
}

declare module 'fastify' {
  interface FastifyInstance {
    drain: Drain
  }
  interface FastifyContextConfig {
    /** Answers while the server shuts down, too. */
    servesWhileDraining?: boolean
  }
}

interface DrainOptions {
  connections: ConnectionManager
  bodies: BodyBudget
  /** How long requests at work may take. */
  graceMs: number
}

/** Requests that were under way when the drain began, as long as others keep coming, are still answered. */
const underWay = { quietMs: 150, atMostMs: 2_000 }
/** The same for connections that were taken over when the listeners closed. */
const takenOver = { quietMs: 50, atMostMs: 500 }
/** How long callers have to close their side of idle connections. */
const closingMs = 250

/**
 * Makes `app.close()` a phased shutdown. First new requests are refused, on kept connections and on new ones, and what is at
 * work is finished. Then the listeners close, and idle connections are ended. A request that was sent in time is so
 * answered, be it with a refusal, and none is reset.
 */
export function drainBeforeClosing(app: FastifyInstance, { connections, bodies, graceMs }: DrainOptions): void {
  let isDraining = false
  let atWork = 0
  let onIdle = () => {}
  app.decorate('drain', {
    begin: () => {
      isDraining = true
    },
    get isDraining() {
      return isDraining
    },
  })

  app.addHook('onRequest', (request, reply, done) => {
    if (isDraining && !request.routeOptions.config.servesWhileDraining) throw shuttingDown()
    atWork++
    reply.raw.once('close', () => {
      atWork--
      if (atWork === 0) onIdle()
    })
    done()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isDraining) reply.header('connection', 'close')
    done(null, payload)
  })
  const workIsDone = () =>
    new Promise<void>((resolve) => {
      if (atWork === 0) return resolve()
      const timer = setTimeout(resolve, graceMs)
      onIdle = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  app.addHook('preClose', async () => {
    isDraining = true
    connections.resumeAll()
    const done = workIsDone()
    await connections.waitUntilQuiet(underWay.quietMs, underWay.atMostMs)
    bodies.rejectAll(shuttingDown())
    await done
    await connections.stopListening()
    await connections.waitUntilQuiet(takenOver.quietMs, takenOver.atMostMs)
    await connections.closeIdle(closingMs)
    connections.destroyAll()
  })
}

function shuttingDown(): ApiError {
  return new ApiError('service_unavailable', 'The server is shutting down; try again in a moment.')
}
