import { beforeEach, describe, expect, test } from 'vitest'
import { scopes } from '../../../../src/customers/auth/caller.ts'
import { createLogger } from '../../../../src/foundation/runtime/logger.ts'
import { startTestApp, type TestKey } from '../../../support/app.ts'
import { createTestProvider, subscribed } from '../../../support/billing-provider.ts'
import { send, show, textWithoutRequestId, toLocalUrl } from '../support/trial-page.ts'

const now = '2026-11-10T12:00:00.000Z'
const trial = {
  trialStart: new Date('2026-11-05T12:00:00.000Z'),
  trialEnd: new Date('2026-11-19T12:00:00.000Z'),
  status: 'trialing',
}

const provider = createTestProvider()
const lines: string[] = []
const app = await startTestApp({
  now,
  billing: provider,
  log: createLogger({ level: 'trace', destination: { write: (line: string) => void lines.push(line) } }),
})
beforeEach(() => {
  app.clock.set(now)
  provider.calls.length = 0
  provider.unsold.clear()
  provider.before = () => {}
})

let customers = 0

/** Creates an account whose subscription is in its trial; returns a key. */
async function openTrial(traits: Partial<Parameters<typeof subscribed>[0]> = {}): Promise<TestKey> {
  const key = await app.key({ scopes, trialEnds: '2026-11-19T12:00:00.000Z' })
  const customerId = `cus_${++customers}`
  provider.subscriptions.set(customerId, [subscribed({ customerId, id: `sub_${customers}`, ...trial, ...traits })])
  await app.db.query(
    'update accounts set customer_id = $2, subscription_id = $3, has_payment_method = true where id = $1',
    [app.accountNumber(key.account), customerId, `sub_${customers}`],
  )
  return key
}

async function linkOf(key: TestKey): Promise<string> {
  return toLocalUrl(app, (await key.get('/usage')).body.billing.url)
}

const endings = () => provider.calls.filter(({ call }) => call === 'endTrial')

describe('a trial link', () => {
  test('is new in every reply, expires after an hour, and contains nothing but the key id, expiry and signature', async () => {
    const key = await openTrial()
    const url = await linkOf(key)
    const token = new URL(url).searchParams.get('token')!
    expect(token).toMatch(new RegExp(`^${key.id}\\.\\d+\\.[\\w-]{43}$`))
    app.clock.advance(1_000)
    expect(await linkOf(key)).not.toBe(url)
    app.clock.set('2026-11-10T12:59:59.000Z')
    expect((await show(url)).status).toBe(200)
    app.clock.set('2026-11-10T13:00:00.000Z')
    const expired = await show(url)
    expect(expired.status).toBe(410)
    expect(textWithoutRequestId(expired)).not.toContain('Pro')
  })

  test('is also in the reply to a reveal that is refused for lack of credits', async () => {
    const key = await openTrial()
    await app.setAccount(key.account, { limits: { trial_contact_credits: 0 } })
    await app.importStores([{ domain: 'aurora-candles.example', name: 'Aurora Candles' }])
    await app.importContacts([
      {
        store_domain: 'aurora-candles.example',
        full_name: 'Mara Lindqvist',
        emails: [{ email: 'mara@aurora-candles.example', status: 'verified', type: 'work', is_primary: true }],
      },
    ])
    const { body } = await key.post('/contacts/search', {})
    const refused = await key.post('/contacts/reveal', { contact_ids: [body.data[0].id] })
    expect(refused.status).toBe(402)
    expect((await show(toLocalUrl(app, refused.body.error.billing.url))).status).toBe(200)
  })

  test('that was altered, cut or forged opens nothing', async () => {
    const [mine, other] = [await openTrial(), await openTrial()]
    const url = await linkOf(mine)
    const token = new URL(url).searchParams.get('token')!
    const [id, expiry, signature] = token.split('.') as [string, string, string]
    const page = `${app.url}/billing/trial`
    const forged = [
      page,
      `${page}?token=`,
      `${page}?token=${token}&token=${token}`,
      `${page}?token=${token}x`,
      `${page}?token=${token.slice(0, -1)}`,
      `${page}?token=${other.id}.${expiry}.${signature}`,
      `${page}?token=${id}.${Number(expiry) + 1}.${signature}`,
      `${page}?token=${id}.${expiry}.${signature.toLowerCase()}`,
      `${page}?token=${id}.${expiry}`,
    ]
    for (const address of forged)
      for (const page of [await show(address), await send(address, 'x')]) {
        expect(page.status, address).toBe(403)
        expect(textWithoutRequestId(page)).not.toContain('Pro')
      }
  })

  test('of a test key leads to the page that explains test mode', async () => {
    const key = await openTrial()
    const sandbox = await app.keyOf(key.account, { scopes, mode: 'test' })
    const { body } = await sandbox.get('/usage')
    expect(new URL(body.billing.url).pathname).toBe('/billing/test')
    expect((await show(toLocalUrl(app, body.billing.url))).text).toContain('test mode')
  })
})

describe('the form of the trial page', () => {
  test('ends the trial if it comes from our page, with or without the browser’s headers', async () => {
    for (const headers of [
      { 'sec-fetch-site': 'same-origin', origin: 'null' },
      { origin: app.url },
      { origin: 'null' },
      {},
    ]) {
      const url = await linkOf(await openTrial())
      const { confirmation } = await show(url)
      provider.calls.length = 0
      expect((await send(url, confirmation, headers)).status).toBe(303)
      expect(endings()).toHaveLength(1)
    }
  })

  test('does nothing if another site sent it', async () => {
    const url = await linkOf(await openTrial())
    const { confirmation } = await show(url)
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.example' },
      { origin: `${app.url}.evil.example` },
    ])
      expect((await send(url, confirmation, headers)).status).toBe(403)
    expect(endings()).toEqual([])
  })

  test('does nothing without a confirmation, or with that of another page', async () => {
    const [url, otherUrl] = [await linkOf(await openTrial()), await linkOf(await openTrial())]
    const { confirmation: foreign } = await show(otherUrl)
    const { confirmation } = await show(url)
    for (const wrong of [null, '', 'x', foreign, `${confirmation}x`, confirmation!.slice(1)]) {
      const answer = await send(url, wrong)
      expect(answer.status).toBe(409)
      expect(answer.text).toContain('Nothing was changed')
    }
    expect(endings()).toEqual([])
  })

  test('does nothing if price or end of the trial changed since the page was shown', async () => {
    const key = await openTrial()
    const url = await linkOf(key)
    const [[customerId, [subscription]]] = [...provider.subscriptions].slice(-1) as [
      [string, [ReturnType<typeof subscribed>]],
    ]
    for (const change of [
      { price: { amount: 9_900, currency: 'usd', interval: 'month', intervalCount: 1 } },
      { trialEnd: new Date('2026-11-30T12:00:00.000Z') },
    ]) {
      const { confirmation } = await show(url)
      provider.subscriptions.set(customerId, [{ ...subscription, ...change }])
      expect((await send(url, confirmation)).status).toBe(409)
    }
    expect(endings()).toEqual([])
  })

  test('is refused with an HTML page if its type is not a form or it is too large', async () => {
    const url = await linkOf(await openTrial())
    const post = (body: string, type: string) => show(url, { method: 'POST', body, headers: { 'content-type': type } })
    const json = await post('{}', 'application/json')
    const large = await post(`confirmation=${'x'.repeat(5_000)}`, 'application/x-www-form-urlencoded')
    expect([json.status, large.status]).toEqual([415, 413])
    for (const { headers } of [json, large]) expect(headers.get('content-type')).toContain('text/html')
  })
})

test('every trial page forbids scripts, frames, caches and referrers, and shows its request id', async () => {
  const url = await linkOf(await openTrial())
  const { confirmation } = await show(url)
  provider.before = (call) => {
    if (call === 'endTrial') throw new Error('a test error')
  }
  const pages = [await show(url), await show(`${url}x`), await send(url, 'x'), await send(url, confirmation)]
  expect(pages.map(({ status }) => status)).toEqual([200, 403, 409, 500])
  for (const { headers, text } of pages) {
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
    )
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
    })
    expect(text).not.toMatch(/<script|https?:\/\//)
    expect(text).toContain(headers.get('x-request-id'))
  }
})

test('a trial that cannot be ended here shows whom to ask', async () => {
  const contradictory = await openTrial()
  const [customerId, [subscription]] = [...provider.subscriptions].at(-1)!
  provider.subscriptions.set(customerId, [subscription!, { ...subscription!, id: 'sub_second' }])
  const granted = await app.key({ scopes, trialEnds: '2026-11-19T12:00:00.000Z' })
  provider.unsold.add('pro_monthly')
  for (const key of [contradictory, granted]) {
    const page = await show(await linkOf(key))
    expect(page.text).toContain('Please ask the person who opened the account')
    expect(page.confirmation).toBeNull()
  }
})

test('an account without trial or plan is shown how to buy one', async () => {
  const key = await openTrial()
  const url = await linkOf(key)
  const [customerId, [subscription]] = [...provider.subscriptions].at(-1)!
  provider.subscriptions.set(customerId, [{ ...subscription!, status: 'canceled' }])
  expect((await show(url)).text).toContain('There is no trial any more')
})

test('the trial page is limited to 30 requests a minute per account', async () => {
  const [url, other] = [await linkOf(await openTrial()), await linkOf(await openTrial())]
  const statuses = await Promise.all(Array.from({ length: 31 }, () => show(url).then(({ status }) => status)))
  expect(statuses.filter((status) => status === 429)).toHaveLength(1)
  expect((await show(url)).headers.get('retry-after')).toBe('60')
  expect((await show(other)).status).toBe(200)
  app.clock.advance(60_000)
  expect((await show(url)).status).toBe(200)
})

test.each([1, 31, 3653])(
  'a clock that ran %i days ahead leaves neither a rate limit nor a valid link',
  async (days) => {
    const [key, other] = [await openTrial(), await openTrial()]
    const url = await linkOf(key)
    app.clock.advance(days * 86_400_000)
    const lasting = await linkOf(other)
    const early = await linkOf(key)
    await Promise.all(Array.from({ length: 31 }, () => show(early)))
    expect((await show(early)).status).toBe(429)
    app.clock.set(now)
    expect((await show(url)).status).toBe(200)
    for (const link of [lasting, early]) expect((await show(link)).status).toBe(410)
  },
)

test('the trial page logs no link and no form', async () => {
  const url = await linkOf(await openTrial({ hasPaymentMethod: false }))
  const { confirmation } = await show(url)
  await send(url, confirmation)
  await send(url, 'x')
  await show(`${url}x`)
  provider.before = () => {
    throw new Error('a test error')
  }
  const failed = await show(url)
  expect(failed.status).toBe(500)
  const logged = lines.join('')
  expect(logged).toContain(failed.headers.get('x-request-id'))
  expect(logged).toContain('/billing/trial')
  for (const secret of [new URL(url).search, 'token=', confirmation!, ...provider.urls])
    expect(logged.includes(secret), secret).toBe(false)
})

test('the trial page escapes plan names', async () => {
  const { pro, ...others } = app.deps.plans.plans
  const odd = await startTestApp({
    now,
    billing: provider,
    plans: { plans: { ...others, pro: { ...pro, name: '<b onclick="x()">Pro & Co</b>' } } },
  })
  const key = await odd.key({ scopes, trialEnds: '2026-11-19T12:00:00.000Z' })
  const { text } = await show(toLocalUrl(odd, (await key.get('/usage')).body.billing.url))
  expect(text).toContain('&#60;b onclick=&#34;x()&#34;&#62;Pro &#38; Co&#60;/b&#62;')
  expect(text).not.toContain('<b onclick')
})
