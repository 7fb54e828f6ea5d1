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
import { createStandin } from '../../../../../stripe-standin/src/app.ts'
import type { BillingProvider } from '../../../../src/customers/billing/provider.ts'
import { connectStripe } from '../../../../src/customers/billing/stripe/connection.ts'
import { setUpStripe } from '../../../../src/customers/billing/stripe/setup.ts'
import { atEnd } from '../../../support/cleanup.ts'
import { serveOnLoopback } from '../../../support/listen.ts'
import { type StandinApp, startAppWithStandin } from '../support/standin-app.ts'

/**
 * Records every request that the server sends to the stand-in, and validates it with a mock server that knows only Stripe's
 * published OpenAPI document.
 */

interface RecordedRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}

const recorded: RecordedRequest[] = []

/** Forwards requests to `target` and records them. */
async function startRecorder(target: string): Promise<string> {
  return serveOnLoopback(async (request, response) => {
    const body = await buffer(request)
    const { host: _, connection: __, ...headers } = request.headers
    recorded.push({ method: request.method!, path: request.url!, headers, body })
    const reply = await send(target, recorded.at(-1)!)
    response.writeHead(reply.status, { 'content-type': 'application/json' })
    response.end(await reply.text())
  })
}

function send(target: string, { method, path, headers, body }: RecordedRequest): Promise<Response> {
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

/** Starts the mock server; returns its URL. */
async function startValidator(program: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'storedex-validator-'))
  const document = join(folder, 'openapi.json')
  const packed = await readFile(join(import.meta.dirname, '../../../data/stripe/openapi-2023-08-16.json.gz'))
  await writeFile(document, gunzipSync(packed))
  const port = await pickFreePort()
  const formats = ['--validator-form-array-format=brackets', '--validator-form-object-format=brackets']
  const validator = spawn(
    process.execPath,
    [program, '--quiet', '--host', '127.0.0.1', '-p', String(port), '--reject-on-sdk-error', ...formats, document],
    { stdio: 'ignore', detached: true },
  )
  atEnd(async () => {
    // The program starts a child process that ignores SIGTERM: kill the whole group.
    process.kill(-validator.pid!, 'SIGKILL')
    await rm(folder, { recursive: true, force: true })
  })
  const url = `http://127.0.0.1:${port}`
  for (;;) {
    if (validator.exitCode !== null) throw new Error(`the validator exited with ${validator.exitCode}`)
    const isReady = await fetch(`${url}/v1/customers`).then(
      ({ body }) => body?.cancel().then(() => true) ?? true,
      () => false,
    )
    if (isReady) return url
    await delay(100)
  }
}

/** Makes every call of the provider and of the setup; returns the names of calls that were left out. */
async function makeEveryCall(): Promise<string[]> {
  const app = await startAppWithStandin('2026-03-10T08:00:00.000Z', { between: startRecorder })
  const called = new Set<string>()
  const billing = new Proxy(app.deps.billing, {
    get(target, name: keyof BillingProvider) {
      called.add(name)
      return target[name]
    },
  })
  const pages = { returnUrl: 'https://us.example/done', canceledUrl: 'https://us.example/canceled' }
  const now = app.clock.now()
  expect(billing.isForSale('pro', 'monthly')).toBe(true)
  expect(await billing.listPrices()).toHaveLength(6)
  await billing.parseSignedEvent({ body: Buffer.from('{}'), signature: 't=1,v1=a', now })
  await billing.createCustomer({ publicId: 'acct_1', name: 'One', email: 'one@buyers.example' })
  await billing.createCustomer({ publicId: 'acct_2', name: 'Two', email: null })

  const { customerId, account: accountPublicId } = await app.customer()
  const offer = { plan: 'pro', billing: 'monthly' } as const
  const expiresAt = new Date(now.getTime() + 31 * 60_000)
  await billing.createCheckout({ customerId, accountPublicId, ...offer, ...pages, expiresAt })
  // The second checkout closes the first; of two concurrent closings one is too late.
  await billing.createCheckout({ customerId, accountPublicId, ...offer, ...pages, expiresAt })
  await Promise.all([billing.closeCheckouts(customerId), billing.closeCheckouts(customerId)])
  await billing.createPortal({ customerId, ...pages, opensAt: 'home' })
  await billing.createPortal({ customerId, ...pages, opensAt: 'payment_method' })
  await billing.createPaymentMethodUpdate({ customerId, ...pages })
  await widenPortals(app)
  await billing.createPaymentMethodUpdate({ customerId, ...pages })
  const endsAt = new Date(now.getTime() + 14 * 86_400_000)
  await billing.startTrial({ customerId, accountPublicId, endsAt, ...offer })
  const [trial] = await billing.listSubscriptions(customerId)
  const subscriptionId = trial!.id
  await billing.endTrial(subscriptionId)
  const setup = { publicUrl: 'https://us.example', plans: app.deps.plans, currency: 'usd', cents: {} }
  const { stripe } = app.deps.config
  const access = { ...stripe, secretKey: stripe.secretKey! }
  await setUpStripe(connectStripe(access), setup)
  await setUpStripe(connectStripe(access), setup)
  // With a portal configuration the request differs.
  await billing.createPortal({ customerId, ...pages, opensAt: 'payment_method' })
  const higher = { plan: 'business', billing: 'annual' } as const
  await billing.createUpdateConfirmation({ customerId, subscriptionId, ...higher, ...pages })

  const { app: empty } = await createStandin({ plans: [], secretKey: access.secretKey })
  atEnd(() => empty.close())
  const emptyUrl = await empty.listen({ host: '127.0.0.1', port: 0 })
  await setUpStripe(connectStripe({ ...access, apiBase: await startRecorder(emptyUrl) }), setup)
  return Object.keys(app.deps.billing).filter((name) => !called.has(name))
}

/** Enables a feature in every portal configuration, as a person could in Stripe's dashboard. */
async function widenPortals({ stripe }: StandinApp): Promise<void> {
  const { data } = await stripe('GET', '/v1/billing_portal/configurations', { is_default: 'false' })
  for (const { id } of data)
    await stripe('POST', `/v1/billing_portal/configurations/${id}`, { 'features[invoice_history][enabled]': 'true' })
}

// The validator is an optional dependency.
describe.skipIf(steady === null)('a validator with Stripe’s published OpenAPI document', () => {
  let validator: string
  beforeAll(async () => {
    validator = await startValidator(steady!)
  })
  const isValid = ({ headers }: Response) => headers.get('x-steady-request-valid') === 'true'

  test('accepts every request that the server makes', async () => {
    expect(await makeEveryCall()).toEqual([])
    const faults: string[] = []
    for (const request of recorded) {
      const reply = await send(validator, request)
      if (!isValid(reply)) faults.push(`${request.method} ${request.path} ${request.body}: ${await reply.text()}`)
    }
    expect(faults).toEqual([])
    expect(recorded.length).toBeGreaterThan(20)
  })

  test('rejects an invalid request', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization: 'Bearer sk_test_x' }
    const request = { method: 'POST', path: '/v1/customers', headers, body: Buffer.from('nickname=x') }
    expect(isValid(await send(validator, request))).toBe(false)
  })
})
