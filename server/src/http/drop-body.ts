import type { FastifyInstance } from 'fastify'

const maxDroppedBytes = 16_000_000
const maxDroppingMs = 5_000

/**
 * A reply can be ready before its request has arrived whole (a body too large, an unknown route). Closing then would
 * cut the reply off, so the rest is read and dropped, up to a bound.
 */
export function dropUnreadBodies(app: FastifyInstance): void {
  app.addHook('onResponse', (request, _reply, done) => {
    const { raw } = request
    if (!raw.complete && !raw.destroyed) {
      const cut = () => raw.socket.destroy()
      const timer = setTimeout(cut, maxDroppingMs).unref()
      let left = maxDroppedBytes
      raw.on('data', (chunk: Buffer) => {
        left -= chunk.length
        if (left < 0) cut()
      })
      raw.once('close', () => clearTimeout(timer))
      raw.once('error', cut)
    }
    done()
  })
}
