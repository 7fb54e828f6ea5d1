import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Cleanup, mapConcurrently } from '@storedex/testkit'
import pg from 'pg'
import type { Program } from '../../server/test/support/programs/program.ts'
import type { Workspace } from '../../server/test/support/programs/workspace.ts'

/** An account with a customer id at the payment provider and a key for billing calls. */
interface Customer {
  id: string
  key: string
}

const linksAtOnce = 4
const eventsAtOnce = 4

export async function openCustomers(program: Program, workspace: Workspace, count: number): Promise<Customer[]> {
  const names = Array.from({ length: count }, (_, index) => `Customer ${index + 1}`)
  const keys = await mapConcurrently(
    names,
    async (name) => {
      const { id } = await program.run<{ id: string }>('accounts', 'create', '--name', name, '--plan', 'pro')
      return (await program.run<{ key: string }>('keys', 'create', id, '--name', 'bench', '--all-scopes')).key
    },
    2,
  )
  const client = new pg.Client({ connectionString: workspace.databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ customer_id: string }>(
      `update accounts set customer_id = 'cus_' || id where name like 'Customer %' returning customer_id`,
    )
    return rows.map(({ customer_id }, index) => ({ id: customer_id, key: keys[index]! }))
  } finally {
    await client.end()
  }
}

/**
 * Repeats link requests and webhook events until `stop` aborts, as customers and the provider's retries would during an
 * outage. Resolves after the last reply.
 */
export async function callBillingRepeatedly(
  api: string,
  webhookSecret: string,
  customers: readonly Customer[],
  stop: AbortSignal,
): Promise<void> {
  const requestLink = async ({ key }: Customer) =>
    fetch(`${api}/billing/portal-link`, { method: 'POST', headers: { authorization: `Bearer ${key}` } })
  const deliverEvent = async ({ id: customer }: Customer) => {
    const type = 'customer.subscription.updated'
    const body = JSON.stringify({ id: `evt_${randomUUID()}`, type, data: { object: { customer } } })
    const second = Math.floor(Date.now() / 1000)
    const signature = createHmac('sha256', webhookSecret).update(`${second}.${body}`).digest('hex')
    const headers = { 'content-type': 'application/json', 'stripe-signature': `t=${second},v1=${signature}` }
    return fetch(new URL('/webhooks/stripe', api), { method: 'POST', headers, body })
  }
  const repeat = async (call: () => Promise<Response>) => {
    while (!stop.aborted) {
      const { status } = await call()
      if (status !== 503) throw new Error(`a billing call got ${status} while the provider did not answer`)
    }
  }
  const lanes = customers.flatMap((customer) => [
    ...Array.from({ length: linksAtOnce }, () => repeat(() => requestLink(customer))),
    ...Array.from({ length: eventsAtOnce }, () => repeat(() => deliverEvent(customer))),
  ])
  await Promise.all(lanes)
}

/** A payment provider that accepts requests and never replies, the worst case for the service. */
interface SilentProvider {
  url: string
  /** Requests waiting for a reply. */
  waiting(): number
  /** Closes their connections. */
  closeConnections(): void
}

export async function startSilentProvider(cleanup: Cleanup): Promise<SilentProvider> {
  const open = new Set<ServerResponse>()
  const server = createServer((_request, response) => {
    open.add(response)
    response.once('close', () => open.delete(response))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanup.add(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    waiting: () => open.size,
    closeConnections: () => server.closeAllConnections(),
  }
}
