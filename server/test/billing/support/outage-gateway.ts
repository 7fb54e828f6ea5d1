import { buffer } from 'node:stream/consumers'
import { serveOnLoopback } from '../../support/listen.ts'

/** How the provider answers: as it should, not at all, never to an end, or with half of a reply. */
export type Weather = 'up' | 'down' | 'hangs' | 'breaks off'

export interface Gateway {
  weather: Weather
  /** How many requests at once have waited for a reply that never came. */
  mostWaiting(): number
  start(target: string): Promise<string>
}

/** What stands between a server and its payment provider, and can fail. */
export function createGateway(): Gateway {
  let waiting = 0
  let mostWaiting = 0
  const gateway: Gateway = {
    weather: 'up',
    mostWaiting: () => mostWaiting,
    async start(target) {
      return serveOnLoopback(async (request, response) => {
        const body = await buffer(request)
        if (gateway.weather === 'down') return void request.socket.destroy()
        if (gateway.weather === 'hangs') {
          waiting += 1
          mostWaiting = Math.max(mostWaiting, waiting)
          return void response.once('close', () => {
            waiting -= 1
          })
        }
        const { host: _, connection: __, ...headers } = request.headers
        const reply = await fetch(target + request.url, {
          method: request.method!,
          headers: headers as Record<string, string>,
          ...(body.length > 0 && { body: new Uint8Array(body) }),
        })
        const text = await reply.text()
        response.writeHead(reply.status, { 'content-type': 'application/json' })
        if (gateway.weather === 'up') return void response.end(text)
        response.write(text.slice(0, text.length / 2), () => request.socket.destroy())
      })
    },
  }
  return gateway
}
