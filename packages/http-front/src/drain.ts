import type { FastifyInstance } from 'fastify'
import type { BodyBudget } from './body-budget.ts'
import type { ConnectionManager } from './connections.ts'

/** The phased shutdown: running requests finish, new ones get a 503, then connections close. */
interface Drain {
  /** Rejects new requests from now on. The server still listens, so that clients get a reply. */
  begin(): void
  /**
   * Call before `app.close()`, while another process listens on the port. Closes the listeners, and resolves when no
   * connection is open. Requests on open connections are answered, each with `Connection: close`. Idle connections end
   * with their usual timeout.
   */
  handOver(): Promise<void>
  readonly isDraining: boolean
}

declare module 'fastify' {
  interface FastifyInstance {
    drain: Drain
  }
  interface FastifyContextConfig {
    /** The route also answers during shutdown. */
    servesWhileDraining?: boolean
  }
}

interface DrainOptions {
  connections: ConnectionManager
  bodies: BodyBudget
  /** The time for running requests to finish. */
  graceMs: number
  /** The time that a hand-over waits for idle connections. */
  handOverMs: number
  /** Called when the shutdown begins, for work that is no request. */
  onDrain: () => void
  /** The error of a request that arrives during shutdown. */
  createError: () => Error
}

/** Requests already on their way when the drain begins are still answered. */
const inTransit = { quietMs: 150, maxMs: 2_000 }
/** The same for connections accepted while the listeners closed. */
const acceptedLate = { quietMs: 50, maxMs: 500 }
/** The time for clients to close their side of idle connections. */
const clientCloseMs = 250

/**
 * Makes `app.close()` a phased shutdown. First new requests are rejected, on kept-alive and new connections, and
 * running ones finish. Then the listeners close and idle connections end. Every request sent in time gets a reply, and
 * no connection is reset.
 */
export function drainBeforeClosing(
  app: FastifyInstance,
  { connections, bodies, graceMs, handOverMs, onDrain, createError }: DrainOptions,
): void {
  let isDraining = false
  let isHandingOver = false
  let running = 0
  let onIdle = () => {}
  app.decorate('drain', {
    begin: () => {
      isDraining = true
    },
    handOver: async () => {
      isHandingOver = true
      await connections.stopListening()
      await connections.waitUntilEmpty(handOverMs)
    },
    get isDraining() {
      return isDraining
    },
  })

  app.addHook('onRequest', (request, reply, done) => {
    if (isDraining && !request.routeOptions.config.servesWhileDraining) throw createError()
    running++
    reply.raw.once('close', () => {
      running--
      if (running === 0) onIdle()
    })
    done()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isDraining || isHandingOver) reply.header('connection', 'close')
    done(null, payload)
  })
  const untilIdle = () =>
    new Promise<void>((resolve) => {
      if (running === 0) return resolve()
      const timer = setTimeout(resolve, graceMs)
      onIdle = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  app.addHook('preClose', async () => {
    isDraining = true
    onDrain()
    connections.resumeAll()
    const done = untilIdle()
    await connections.waitUntilQuiet(inTransit.quietMs, inTransit.maxMs)
    bodies.rejectAll(createError())
    await done
    await connections.stopListening()
    await connections.waitUntilQuiet(acceptedLate.quietMs, acceptedLate.maxMs)
    await connections.closeIdle(clientCloseMs)
    connections.destroyAll()
  })
}
