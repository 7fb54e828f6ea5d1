import type Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  cancelFromPortal,
  changePlan,
  confirmPlanChange,
  payInvoice,
  undoCancellation,
  undoScheduledChange,
  updatePaymentMethod,
} from '../../src/billing/portal/actions.ts'
import { loadConfirmView, loadPortalView } from '../../src/billing/portal/view.ts'
import { customerWithCard, daySeconds, hourSeconds, idOf, openWorld, subscribed, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const reread = (id: string) => world.stripe.subscriptions.retrieve(id, { expand: ['latest_invoice', 'schedule'] })

const portal = (customer: string, more: Partial<Stripe.BillingPortal.SessionCreateParams> = {}) =>
  world.stripe.billingPortal.sessions.create({ customer, return_url: 'https://shop.example/billing', ...more })

function confirmation(subscription: Stripe.Subscription, price: string) {
  return portal(idOf(subscription.customer), {
    flow_data: {
      type: 'subscription_update_confirm',
      subscription_update_confirm: {
        subscription: subscription.id,
        items: [{ id: subscription.items.data[0]!.id, price, quantity: 1 }],
      },
      after_completion: { type: 'redirect', redirect: { return_url: 'https://shop.example/upgraded' } },
    },
  })
}

test('a plain session links to the portal, a confirmation to its own page', async () => {
  const subscription = await subscribed(world)
  const plain = await portal(idOf(subscription.customer))
  expect(plain).toMatchObject({ url: `${world.url}/pay/portal/${plain.id}`, flow: null })
  const exact = await confirmation(subscription, 'price_standin_business_monthly')
  expect(exact).toMatchObject({
    url: `${world.url}/pay/confirm/${exact.id}`,
    flow: {
      type: 'subscription_update_confirm',
      after_completion: { redirect: { return_url: 'https://shop.example/upgraded' } },
    },
  })
})

test('the confirmation charges the amount it shows, once', async () => {
  const subscription = await subscribed(world)
  await world.advance(10 * daySeconds)
  const { id } = await confirmation(subscription, 'price_standin_business_monthly')
  const view = await world.standin.read((ctx) => loadConfirmView(ctx, id))
  expect(view.preview).toMatchObject({ when: 'now', amountDue: expect.any(Number) })
  await world.standin.change((ctx) => confirmPlanChange(ctx, id))
  await world.standin.change((ctx) => confirmPlanChange(ctx, id))
  const upgraded = await reread(subscription.id)
  expect(upgraded.items.data[0]!.price.id).toBe('price_standin_business_monthly')
  expect(upgraded.latest_invoice).toMatchObject({ status: 'paid', amount_paid: view.preview?.amountDue })
  const { data } = await world.stripe.invoices.list({ subscription: subscription.id })
  expect(data).toHaveLength(2)
})

test('a confirmation whose card is declined changes nothing', async () => {
  const subscription = await subscribed(world)
  const { id } = await confirmation(subscription, 'price_standin_business_monthly')
  await world.standin.change((ctx) => updatePaymentMethod(ctx, id, { card: 'declines' }))
  await expect(world.standin.change((ctx) => confirmPlanChange(ctx, id))).rejects.toMatchObject({ status: 402 })
  const same = await reread(subscription.id)
  expect([same.status, same.items.data[0]!.price.id]).toEqual(['active', 'price_standin_pro_monthly'])
})

test('a session for an impossible flow is rejected at creation', async () => {
  const { stripe } = world
  const subscription = await subscribed(world)
  await expect(confirmation(subscription, 'price_standin_pro_monthly')).rejects.toThrow('already has this price')
  await expect(confirmation(subscription, 'price_unknown')).rejects.toMatchObject({ statusCode: 400 })
  const other = await customerWithCard(stripe)
  const flow = { type: 'subscription_cancel', subscription_cancel: { subscription: subscription.id } } as const
  await expect(portal(other.id, { flow_data: flow })).rejects.toMatchObject({ code: 'resource_missing' })
  const closed = await stripe.billingPortal.configurations.create({ features: { invoice_history: { enabled: true } } })
  await expect(
    portal(idOf(subscription.customer), { configuration: closed.id, flow_data: flow }),
  ).rejects.toMatchObject({ param: 'flow_data[type]' })
  await stripe.subscriptions.cancel(subscription.id)
  await expect(confirmation(subscription, 'price_standin_business_monthly')).rejects.toMatchObject({ statusCode: 400 })
})

test('a downgrade is scheduled: the plan stays until the period ends, then the lower one is billed', async () => {
  const subscription = await subscribed(world, 'price_standin_business_monthly')
  const { id } = await portal(idOf(subscription.customer))
  const wanted = { subscription: subscription.id, price: 'price_standin_pro_monthly' }
  await world.standin.change((ctx) => changePlan(ctx, id, wanted))
  const waiting = await reread(subscription.id)
  expect(waiting.items.data[0]!.price.id).toBe('price_standin_business_monthly')
  expect(waiting.schedule).toMatchObject({ object: 'subscription_schedule', status: 'active' })
  await world.advance(32 * daySeconds)
  const lowered = await reread(subscription.id)
  expect(lowered).toMatchObject({ status: 'active', schedule: null, latest_invoice: { total: 4_900, status: 'paid' } })
  expect(lowered.items.data[0]!.price.id).toBe('price_standin_pro_monthly')
})

test('a scheduled change is reverted on request, and by an upgrade', async () => {
  const { standin } = world
  const subscription = await subscribed(world, 'price_standin_business_monthly')
  const { id } = await portal(idOf(subscription.customer))
  const own = { subscription: subscription.id }
  const down = { ...own, price: 'price_standin_pro_monthly' }
  await standin.change((ctx) => changePlan(ctx, id, down))
  await standin.change((ctx) => undoScheduledChange(ctx, id, own))
  expect((await reread(subscription.id)).schedule).toBeNull()
  await standin.change((ctx) => changePlan(ctx, id, down))
  await standin.change((ctx) => changePlan(ctx, id, { ...own, price: 'price_standin_enterprise_monthly' }))
  await world.advance(32 * daySeconds)
  const kept = await reread(subscription.id)
  expect([kept.schedule, kept.items.data[0]!.price.id]).toEqual([null, 'price_standin_enterprise_monthly'])
})

test('a cancellation takes effect at the end of the period and can be reverted until then', async () => {
  const { standin } = world
  const subscription = await subscribed(world)
  const { id } = await portal(idOf(subscription.customer))
  const own = { subscription: subscription.id }
  await standin.change((ctx) => cancelFromPortal(ctx, id, own))
  expect(await reread(subscription.id)).toMatchObject({ status: 'active', cancel_at_period_end: true })
  await standin.change((ctx) => undoCancellation(ctx, id, own))
  expect(await reread(subscription.id)).toMatchObject({ cancel_at_period_end: false, cancel_at: null })
  await standin.change((ctx) => cancelFromPortal(ctx, id, own))
  await world.advance(32 * daySeconds)
  expect((await reread(subscription.id)).status).toBe('canceled')
})

test('a past due subscription recovers with a new card or by paying its invoice', async () => {
  const { standin, stripe } = world
  for (const way of ['card', 'invoice'] as const) {
    const subscription = await subscribed(world)
    const { id } = await portal(idOf(subscription.customer))
    await standin.change((ctx) => updatePaymentMethod(ctx, id, { card: 'declines' }))
    await world.advance(31 * daySeconds + hourSeconds)
    const failed = await reread(subscription.id)
    expect([way, failed.status]).toEqual([way, 'past_due'])
    const invoice = idOf(failed.latest_invoice)
    await expect(standin.change((ctx) => payInvoice(ctx, id, { invoice }))).rejects.toMatchObject({ status: 402 })
    if (way === 'card') await standin.change((ctx) => updatePaymentMethod(ctx, id, { card: 'works' }))
    else {
      const good = await stripe.paymentMethods.attach('pm_card_visa', { customer: idOf(subscription.customer) })
      await stripe.subscriptions.update(subscription.id, { default_payment_method: good.id })
      await standin.change((ctx) => payInvoice(ctx, id, { invoice }))
    }
    expect(await reread(subscription.id)).toMatchObject({ status: 'active', latest_invoice: { status: 'paid' } })
  }
})

test('choosing a plan during a trial ends it and charges at once, as previewed', async () => {
  const customer = await customerWithCard(world.stripe)
  const trial = await world.stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: 'price_standin_pro_monthly' }],
    trial_period_days: 14,
  })
  const { id } = await portal(customer.id)
  const view = await world.standin.read((ctx) => loadPortalView(ctx, id))
  const choice = view.subscriptions[0]!.choices.find(({ price }) => price.id === 'price_standin_business_monthly')
  expect(choice?.preview).toMatchObject({ when: 'now', amountDue: 19_900 })
  await world.standin.change((ctx) =>
    changePlan(ctx, id, { subscription: trial.id, price: 'price_standin_business_monthly' }),
  )
  expect(await reread(trial.id)).toMatchObject({ status: 'active', latest_invoice: { amount_paid: 19_900 } })
})

test('a portal session gives access to its own customer only', async () => {
  const [mine, theirs] = [await subscribed(world), await subscribed(world)]
  const { id } = await portal(idOf(mine.customer))
  const other = { subscription: theirs.id, price: 'price_standin_business_monthly' }
  await expect(world.standin.change((ctx) => changePlan(ctx, id, other))).rejects.toMatchObject({ status: 404 })
  await expect(world.standin.change((ctx) => cancelFromPortal(ctx, id, other))).rejects.toMatchObject({
    status: 404,
  })
  const invoice = idOf(theirs.latest_invoice)
  await expect(world.standin.change((ctx) => payInvoice(ctx, id, { invoice }))).rejects.toMatchObject({ status: 404 })
})

test('a configuration enables features, can be updated partially, and must reference existing products', async () => {
  const { configurations } = world.stripe.billingPortal
  const update = {
    enabled: true,
    default_allowed_updates: ['price' as const],
    products: [{ product: 'prod_standin_pro', prices: ['price_standin_pro_annual'] }],
    proration_behavior: 'always_invoice' as const,
  }
  const made = await configurations.create({
    features: { subscription_update: update, invoice_history: { enabled: true } },
  })
  const changed = await configurations.update(made.id, { features: { subscription_cancel: { enabled: true } } })
  expect(changed.features).toMatchObject({
    invoice_history: { enabled: true },
    payment_method_update: { enabled: false },
    subscription_cancel: { enabled: true, mode: 'at_period_end' },
    subscription_update: { enabled: true, products: [{ product: 'prod_standin_pro' }] },
  })
  const { data } = await configurations.list({ is_default: true })
  expect(data).toHaveLength(1)
  const wrong = { ...update, products: [{ product: 'prod_standin_pro', prices: ['price_standin_business_annual'] }] }
  await expect(configurations.create({ features: { subscription_update: wrong } })).rejects.toMatchObject({
    code: 'resource_missing',
  })
})
