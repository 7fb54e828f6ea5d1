import { describe, expect, test } from 'vitest'
import { scopes } from '../../../../src/customers/auth/caller.ts'
import { startTrial } from '../../../../src/customers/billing/trials/start.ts'
import type { TestKey } from '../../../support/app.ts'
import { startAppWithStandin } from '../support/standin-app.ts'
import { confirm, send, show, toLocalUrl } from '../support/trial-page.ts'

const app = await startAppWithStandin('2026-03-10T08:00:00.000Z')

type Card = 'pm_card_visa' | 'pm_card_chargeCustomerFail'

/** Starts a trial of fourteen days at the provider; returns a key of the account. */
async function openTrial(card: Card | null): Promise<TestKey & { customerId: string }> {
  const key = await app.key({ scopes })
  await app.setAccount(key.account, { plan: 'free' })
  await startTrial(app.deps, key.account, { days: 14, plan: 'pro', billing: 'monthly' })
  const { customer_id: customerId } = await app.row(key.account)
  if (card) await giveCard(customerId, card)
  return { ...key, customerId }
}

async function giveCard(customerId: string, card: Card): Promise<void> {
  const { id } = await app.stripe('POST', `/v1/payment_methods/${card}/attach`, { customer: customerId })
  await app.stripe('POST', `/v1/customers/${customerId}`, { 'invoice_settings[default_payment_method]': id })
}

async function linkOf(key: TestKey): Promise<string> {
  const { body } = await key.get('/usage')
  return toLocalUrl(app, body.billing.url)
}

const subscriptionOf = async (customer: string) =>
  (await app.stripe('GET', '/v1/subscriptions', { customer, status: 'all' })).data[0]

const chargesOf = async (customer: string) =>
  (await app.stripe('GET', '/v1/invoices', { customer })).data.filter((invoice: { total: number }) => invoice.total > 0)

test('opening the trial page shows plan, price and credits, and changes nothing', async () => {
  const key = await openTrial('pm_card_visa')
  const url = await linkOf(key)
  const before = await subscriptionOf(key.customerId)
  const page = await show(url)
  expect(page.status).toBe(200)
  for (const words of ['Pro', '$49.00 a month', '250 of 250 left', '1,000 a month', '24 March 2026'])
    expect(page.text).toContain(words)
  await show(url, { headers: { 'sec-purpose': 'prefetch' } })
  const head = await show(url, { method: 'HEAD' })
  expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' })
  expect(await subscriptionOf(key.customerId)).toEqual(before)
  expect((await key.get('/usage')).body.plan).toMatchObject({ status: 'trialing', trial: { active: true } })
})

test('confirming the form ends the trial and grants the credits of the paid plan at once', async () => {
  const key = await openTrial('pm_card_visa')
  const page = await confirm(await linkOf(key))
  expect(page.status).toBe(200)
  expect(page.text).toContain('The paid Pro plan is active')
  for (const words of ['1,000 of 1,000 left', '$49.00 a month', 'Renews on', '10 April 2026'])
    expect(page.text).toContain(words)
  expect(page.confirmation).toBeNull()
  const { body } = await key.get('/usage')
  expect(body).toMatchObject({
    plan: { slug: 'pro', status: 'active', trial: { active: false, ends_at: null } },
    contact_credits: { total: 1000, remaining: 1000, paid_plan_total: 1000 },
  })
  expect(body).not.toHaveProperty('billing')
  expect(await chargesOf(key.customerId)).toMatchObject([{ status: 'paid', total: 4_900 }])
})

test('confirming in two tabs at once, and again later, ends and charges the trial once', async () => {
  const key = await openTrial('pm_card_visa')
  const url = await linkOf(key)
  const [first, second] = await Promise.all([show(url), show(url)])
  const answers = await Promise.all([send(url, first.confirmation), send(url, second.confirmation)])
  for (const { status } of answers) expect([303, 409]).toContain(status)
  const later = await send(url, first.confirmation)
  expect(later.status).toBe(303)
  expect(await chargesOf(key.customerId)).toHaveLength(1)
  expect((await show(url)).text).toContain('The paid Pro plan is active')
})

describe('a trial without a payment method', () => {
  test('first leads to a page where one is added, then can be ended', async () => {
    const key = await openTrial(null)
    const url = await linkOf(key)
    const page = await show(url)
    expect(page.text).toContain('A payment method is needed first')
    const onward = await send(url, page.confirmation)
    const [, portal] = /^0; url=(.+)$/.exec(onward.headers.get('refresh')!)!
    expect(onward.text).toContain(`href="${portal}"`)
    expect((await fetch(portal!)).status).toBe(200)
    expect((await subscriptionOf(key.customerId)).status).toBe('trialing')

    await giveCard(key.customerId, 'pm_card_visa')
    expect((await confirm(url)).text).toContain('The paid Pro plan is active')
  })

  test('leads to a provider page without plan change and cancellation, before and after a card is added', async () => {
    const key = await openTrial(null)
    const url = await linkOf(key)
    const onward = await send(url, (await show(url)).confirmation)
    const [, portal] = /^0; url=(.+)$/.exec(onward.headers.get('refresh')!)!
    const { id } = await subscriptionOf(key.customerId)
    const open = (path = '') => fetch(`${portal}${path}`, { redirect: 'manual' })
    const elsewhere = ['', `/plans/${id}`, `/cancel/${id}`, `/change/${id}?price=price_standin_business_monthly`]
    for (const path of elsewhere) {
      const reply = await open(path)
      expect([path, reply.status, reply.headers.get('location')]).toEqual([
        path,
        303,
        `${new URL(portal!).pathname}/card`,
      ])
    }
    const page = await (await open('/card')).text()
    expect(page).not.toMatch(/Change plan|Cancel plan/)
    const [, token] = /name="token" value="([^"]+)"/.exec(page)!
    const saved = await fetch(`${portal}/card`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ token: token!, card: 'works' }),
    })
    expect([saved.status, toLocalUrl(app, saved.headers.get('location')!)]).toEqual([303, url])
    for (const path of [...elsewhere, '/card']) {
      const text = await (await fetch(`${portal}${path}`)).text()
      expect([path, /Change plan|Cancel plan|Save card/.test(text)]).toEqual([path, false])
    }
    expect((await subscriptionOf(key.customerId)).status).toBe('trialing')
    expect((await confirm(url)).text).toContain('The paid Pro plan is active')
  })

  test('restricts the portal configuration again if somebody enabled more features', async () => {
    const key = await openTrial(null)
    const url = await linkOf(key)
    const openedWith = async () => {
      await send(url, (await show(url)).confirmation)
      const { data } = await app.stripe('GET', '/v1/billing_portal/configurations', { is_default: 'false' })
      return data.filter(({ metadata }: { metadata: { storedex?: string } }) => metadata.storedex === 'payment_method')
    }
    const [made] = await openedWith()
    await app.stripe('POST', `/v1/billing_portal/configurations/${made.id}`, {
      'features[subscription_cancel][enabled]': 'true',
    })
    const after = await openedWith()
    expect(after).toHaveLength(1)
    expect(after[0]).toMatchObject({
      id: made.id,
      features: {
        payment_method_update: { enabled: true },
        subscription_cancel: { enabled: false },
        subscription_update: { enabled: false },
        invoice_history: { enabled: false },
        customer_update: { enabled: false },
      },
    })
  })

  test('is recognized when the payment method is detached', async () => {
    const key = await openTrial('pm_card_visa')
    await app.advance(0)
    const canUnlock = async () => (await key.get('/usage')).body.billing.can_unlock_paid_credits_now
    expect(await canUnlock()).toBe(true)
    const [{ id }] = (await app.stripe('GET', '/v1/payment_methods', { customer: key.customerId })).data
    await app.stripe('POST', `/v1/payment_methods/${id}/detach`)
    await app.advance(0)
    expect(await canUnlock()).toBe(false)
  })

  test('is not ended by a form from before the payment method was removed', async () => {
    const key = await openTrial('pm_card_visa')
    const url = await linkOf(key)
    const { confirmation } = await show(url)
    await app.stripe('POST', `/v1/customers/${key.customerId}`, { 'invoice_settings[default_payment_method]': '' })
    const answer = await send(url, confirmation)
    expect(answer.status).toBe(409)
    expect(answer.text).toContain('Nothing was changed')
    expect((await subscriptionOf(key.customerId)).status).toBe('trialing')
  })
})

test('a declined card is shown with a form to pay after all', async () => {
  const key = await openTrial('pm_card_chargeCustomerFail')
  const page = await confirm(await linkOf(key))
  expect(page.text).toContain('The payment did not go through')
  expect(page.text).toContain('$49.00 a month')
  expect(page.confirmation).not.toBeNull()
  expect((await subscriptionOf(key.customerId)).status).toBe('past_due')
  expect((await key.get('/usage')).body.error.code).toBe('api_access_required')
})

test('a trial granted by hand leads to a checkout, and only the newest checkout is open', async () => {
  const key = await app.key({ scopes, trialEnds: '2026-03-24T00:00:00.000Z' })
  const url = await linkOf(key)
  const page = await show(url)
  expect(page.text).toContain('Start the paid Pro plan now')
  expect(page.text).toContain('$49.00 a month')
  const [once, again] = [await send(url, page.confirmation), await send(url, page.confirmation)]
  const [first, second] = await Promise.all(
    [once, again].map(({ headers }) => {
      const [checkout] = /cs_\w+/.exec(headers.get('refresh')!)!
      return app.stripe('GET', `/v1/checkout/sessions/${checkout}`)
    }),
  )
  expect(first).toMatchObject({ mode: 'subscription', status: 'expired' })
  expect(second).toMatchObject({ mode: 'subscription', status: 'open' })
  expect((await app.row(key.account)).customer_id).toBe(second!.customer)
  expect((await key.get('/usage')).body.plan.status).toBe('trialing')
})

test('while the provider fails nothing changes, and the same form works afterwards', async () => {
  const key = await openTrial('pm_card_visa')
  const url = await linkOf(key)
  const { confirmation } = await show(url)
  await app.control('/faults', { fail_rate: 1, status: 500 })
  for (const page of [await show(url), await send(url, confirmation)]) {
    expect(page.status).toBe(503)
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(page.text).toContain('Please try again in a moment')
  }
  await app.control('/faults', { fail_rate: 0 })
  expect((await subscriptionOf(key.customerId)).status).toBe('trialing')
  expect((await send(url, confirmation)).status).toBe(303)
  expect((await key.get('/usage')).body.plan.status).toBe('active')
})

test('confirming again completes an ending whose events were lost', async () => {
  const key = await openTrial('pm_card_visa')
  const url = await linkOf(key)
  const { confirmation } = await show(url)
  await app.interceptEvents(async () => 503)
  const { id } = await subscriptionOf(key.customerId)
  await app.stripe('POST', `/v1/subscriptions/${id}`, { trial_end: 'now' })
  expect((await key.get('/usage')).body.plan.status).toBe('trialing')
  expect((await send(url, confirmation)).status).toBe(303)
  expect((await key.get('/usage')).body).toMatchObject({ plan: { status: 'active' }, contact_credits: { total: 1000 } })
})
