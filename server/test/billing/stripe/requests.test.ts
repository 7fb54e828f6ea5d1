import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { pickFreePort } from '@storedex/embedded-postgres/settings'
import { beforeAll, describe, expect, test } from 'vitest'
import { createStandin } from '../../../../stripe-standin/src/app.ts'
import type { BillingProvider } from '../../../src/billing/provider.ts'
import { connectStripe } from '../../../src/billing/stripe/connection.ts'
import { setUpStripe } from '../../../src/billing/stripe/setup.ts'
import { atEnd } from '../../support/cleanup.ts'
import { serveOnLoopback } from '../../support/listen.ts'
import { openStandinWorld, type StandinWorld } from '../support/standin-app.ts'

/**
 * What the server asks of Stripe, written down on its way to the stand-in, and shown to a judge that knows nothing but
 * Stripe's published document.
 */

interface Asked {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}

const asked: Asked[] = []

/** Passes requests on, and notes them. */
async function startRecorder(target: string): Promise<string> {
  return serveOnLoopback(async (request, response) => {
    const body = await buffer(request)
    const { host: _, connection: __, ...headers } = request.headers
    asked.push({ method: request.method!, path: request.url!, headers, body })
    const reply = await send(target, asked.at(-1)!)
    response.writeHead(reply.status, { 'content-type': 'application/json' })
    response.end(await reply.text())
  })
}

function send(target: string, { method, path, headers, body }: Asked): Promise<Response> {
  const init = { method, headers: headers as Record<string, string> }
  return fetch(target + path, body.length > 0 ? { ...init, body: new Uint8Array(body) } : init)
}

const require = createRequire(import.meta.url)
const steady = (() => {
  try {
    return require.resolve('@stdy/cli/steady.js')
  } catch {
    return null
  }
})()

/** The judge, at an address of its own. */
async function startJudge(program: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'storedex-judge-'))
  const document = join(folder, 'openapi.json')
  const packed = await readFile(join(import.meta.dirname, '../../data/stripe/openapi-2023-08-16.json.gz'))
  await writeFile(document, gunzipSync(packed))
  const port = await pickFreePort()
  const formats = ['--validator-form-array-format=brackets', '--validator-form-object-format=brackets']
  const judge = spawn(
    process.execPath,
    [program, '--quiet', '--host', '127.0.0.1', '-p', String(port), '--reject-on-sdk-error', ...formats, document],
    { stdio: 'ignore', detached: true },
  )
  atEnd(async () => {
    // The program runs another one, and that one does not listen.
    process.kill(-judge.pid!, 'SIGKILL')
    await rm(folder, { recursive: true, force: true })
  })
  const url = `http://127.0.0.1:${port}`
  for (;;) {
    if (judge.exitCode !== null) throw new Error(`the judge ended with ${judge.exitCode}`)
    const isReady = await fetch(`${url}/v1/customers`).then(
      ({ body }) => body?.cancel().then(() => true) ?? true,
      () => false,
    )
    if (isReady) return url
    await delay(100)
  }
}

/** Asks for everything that the server ever asks for; answers with the calls that were left out. */
async function askForEverything(): Promise<string[]> {
  const world = await openStandinWorld('2026-03-10T08:00:00.000Z', { between: startRecorder })
  const called = new Set<string>()
  const billing = new Proxy(world.deps.billing, {
    get(target, name: keyof BillingProvider) {
      called.add(name)
      return target[name]
    },
  })
  const pages = { returnUrl: 'https://us.example/done', canceledUrl: 'https://us.example/canceled' }
  const now = world.clock.now()
  expect(billing.isForSale('pro', 'monthly')).toBe(true)
  await billing.parseSignedEvent({ body: Buffer.from('{}'), signature: 't=1,v1=a', now })
  await billing.createCustomer({ publicId: 'acct_1', name: 'One', email: 'one@buyers.example' })
  await billing.createCustomer({ publicId: 'acct_2', name: 'Two', email: null })

  const { customerId, account: accountPublicId } = await world.customer()
  const offer = { plan: 'pro', billing: 'monthly' } as const
  const expiresAt = new Date(now.getTime() + 31 * 60_000)
  await billing.createCheckout({ customerId, accountPublicId, ...offer, ...pages, expiresAt })
  // The second one closes the first, and of two who close it one comes too late.
  await billing.createCheckout({ customerId, accountPublicId, ...offer, ...pages, expiresAt })
  await Promise.all([billing.closeCheckouts(customerId), billing.closeCheckouts(customerId)])
  await billing.createPortal({ customerId, ...pages })
  await billing.createPaymentMethodUpdate({ customerId, ...pages })
  await widenPortals(world)
  await billing.createPaymentMethodUpdate({ customerId, ...pages })
  const endsAt = new Date(now.getTime() + 14 * 86_400_000)
  await billing.startTrial({ customerId, accountPublicId, endsAt, ...offer })
  const [trial] = await billing.listSubscriptions(customerId)
  const subscriptionId = trial!.id
  await billing.endTrial(subscriptionId)
  const setup = { publicUrl: 'https://us.example', plans: world.deps.plans, currency: 'usd', cents: {} }
  const { stripe } = world.deps.config
  const access = { ...stripe, secretKey: stripe.secretKey! }
  await setUpStripe(connectStripe(access), setup)
  await setUpStripe(connectStripe(access), setup)
  // Now that there is a configuration of the portal, it is asked for.
  await billing.createPortal({ customerId, ...pages })
  const higher = { plan: 'business', billing: 'annual' } as const
  await billing.createUpdateConfirmation({ customerId, subscriptionId, ...higher, ...pages })

  const { app: empty } = await createStandin({ plans: [], secretKey: access.secretKey })
  atEnd(() => empty.close())
  const emptyUrl = await empty.listen({ host: '127.0.0.1', port: 0 })
  await setUpStripe(connectStripe({ ...access, apiBase: await startRecorder(emptyUrl) }), setup)
  return Object.keys(world.deps.billing).filter((name) => !called.has(name))
}

/** As a person does in the dashboard, with settings that must stay narrow. */
async function widenPortals({ stripe }: StandinWorld): Promise<void> {
  const { data } = await stripe('GET', '/v1/billing_portal/configurations', { is_default: 'false' })
  for (const { id } of data)
    await stripe('POST', `/v1/billing_portal/configurations/${id}`, { 'features[invoice_history][enabled]': 'true' })
}

// Where the judge cannot be installed there is none.
describe.skipIf(steady === null)('to a judge that knows only what Stripe publishes', () => {
  let judge: string
  beforeAll(async () => {
    judge = await startJudge(steady!)
  })
  const isValid = ({ headers }: Response) => headers.get('x-steady-request-valid') === 'true'

  test('every request of the server is a proper one', async () => {
    expect(await askForEverything()).toEqual([])
    const faults: string[] = []
    for (const request of asked) {
      const verdict = await send(judge, request)
      if (!isValid(verdict)) faults.push(`${request.method} ${request.path} ${request.body}: ${await verdict.text()}`)
    }
    expect(faults).toEqual([])
    expect(asked.length).toBeGreaterThan(20)
  })

  test('an improper one is not', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization: 'Bearer sk_test_x' }
    const request = { method: 'POST', path: '/v1/customers', headers, body: Buffer.from('nickname=x') }
    expect(isValid(await send(judge, request))).toBe(false)
  })
})
