import type { FastifyInstance } from 'fastify'
import { ApiError } from '../kernel/errors.ts'

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

/** Makes `app.close()` a phased shutdown: refuse, wait for what is at work (at most `graceMs`), close all connections. */
export function drainBeforeClosing(app: FastifyInstance, graceMs: number): void {
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
    if (isDraining && !request.routeOptions.config.servesWhileDraining)
      throw new ApiError('service_unavailable', 'The server is shutting down; try again in a moment.')
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
  app.addHook('preClose', async () => {
    isDraining = true
    if (atWork === 0) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs)
      onIdle = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  })
}
