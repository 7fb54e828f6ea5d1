import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Stripe from 'stripe'

/** A webhook receiver that records accepted events and replies as a test sets. */
export interface Receiver {
  readonly url: string
  /** Events with a valid signature, in order of arrival. */
  readonly events: Stripe.Event[]
  /** Attempts so far, accepted or not. */
  readonly attempts: () => number
  types(): string[]
  /** Sets the status of later replies. */
  answer(status: number): void
  close(): Promise<void>
}

export async function openReceiver(secret: string, clock: { readonly now: () => Date }): Promise<Receiver> {
  const stripe = new Stripe('sk_test_unused')
  const events: Stripe.Event[] = []
  let attempts = 0
  let status = 200
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    attempts += 1
    try {
      const event = stripe.webhooks.constructEvent(
        Buffer.concat(chunks),
        request.headers['stripe-signature'] ?? '',
        secret,
        300,
        undefined,
        Math.floor(clock.now().getTime() / 1000),
      )
      if (status < 300) events.push(event)
      response.writeHead(status).end()
    } catch {
      response.writeHead(400).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    events,
    attempts: () => attempts,
    types: () => events.map(({ type }) => type),
    answer: (next) => {
      status = next
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
