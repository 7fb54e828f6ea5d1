import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { proofRuns } from '../../bin/tests/proof-runs.ts'
import { createStandin } from '../src/app.ts'
import { cancelFromPortal, changePlan, undoCancellation, updatePaymentMethod } from '../src/billing/portal/actions.ts'
import { presentEvent } from '../src/presenters/events.ts'
import { presentInvoice } from '../src/presenters/invoices.ts'
import { presentSubscription } from '../src/presenters/subscriptions.ts'
import type { Standin } from '../src/standin.ts'
import type { RequestContext } from '../src/state/database.ts'
import { StripeError } from '../src/state/errors.ts'
import { daySeconds, manualClock, secretKey } from './support/world.ts'

const plan = fc.constantFrom('pro', 'business', 'enterprise')
const billing = fc.constantFrom('monthly', 'annual')
const price = fc.tuple(plan, billing).map(([slug, interval]) => `price_standin_${slug}_${interval}`)
const proration = fc.constantFrom('always_invoice', 'create_prorations', 'none')
const card = fc.constantFrom('works' as const, 'declines' as const)

type Step =
  | { do: 'subscribe'; form: Record<string, string> }
  | { do: 'change' | 'update'; form: Record<string, string> }
  | { do: 'cancel' | 'resume' | 'pay' | 'portal cancel' | 'portal resume' }
  | { do: 'portal change'; price: string }
  | { do: 'portal card'; card: 'works' | 'declines' }
  | { do: 'advance'; days: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc
    .record({
      'items[0][price]': price,
      trial: fc.constantFrom('', '1', '14'),
      missing: fc.constantFrom('pause', 'cancel', 'create_invoice'),
    })
    .map(({ trial, missing, ...form }) => ({
      do: 'subscribe' as const,
      form: {
        ...form,
        ...(trial && { trial_period_days: trial }),
        'trial_settings[end_behavior][missing_payment_method]': missing,
      },
    })),
  fc
    .record({ 'items[0][price]': price, proration_behavior: proration })
    .map((form) => ({ do: 'change' as const, form })),
  fc
    .constantFrom<Record<string, string>>(
      { cancel_at_period_end: 'true' },
      { cancel_at_period_end: 'false' },
      { trial_end: 'now' },
      { 'pause_collection[behavior]': 'keep_as_draft' },
      { 'pause_collection[behavior]': 'void' },
      { pause_collection: '' },
      { billing_cycle_anchor: 'now' },
      { 'metadata[k]': 'v' },
    )
    .map((form) => ({ do: 'update' as const, form })),
  fc
    .constantFrom('cancel', 'resume', 'pay', 'portal cancel', 'portal resume')
    .map((operation) => ({ do: operation }) as Step),
  price.map((wanted) => ({ do: 'portal change' as const, price: wanted })),
  card.map((wanted) => ({ do: 'portal card' as const, card: wanted })),
  fc.constantFrom(0.1, 3, 16, 32, 400).map((days) => ({ do: 'advance' as const, days })),
)

async function openStandin(stateDir: string) {
  const clock = manualClock('2026-01-31T12:00:00Z')
  const { app, standin } = await createStandin({ stateDir, secretKey, clock: clock.now })
  const call = async (method: 'GET' | 'POST' | 'DELETE', path: string, form: Record<string, string> = {}) => {
    const reply = await app.inject({
      method,
      url: `/v1/${path}`,
      headers: { authorization: `Bearer ${secretKey}`, 'content-type': 'application/x-www-form-urlencoded' },
      ...(method !== 'GET' && { payload: new URLSearchParams(form).toString() }),
    })
    expect([path, reply.statusCode, reply.statusCode < 500 || reply.body]).toEqual([path, reply.statusCode, true])
    return reply.json()
  }
  return { app, standin, clock, call }
}

test('any sequence of operations succeeds, emits events that describe the state, and survives a restart', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
      const stateDir = mkdtempSync(join(tmpdir(), 'standin-'))
      const world = await openStandin(stateDir)
      try {
        await runSteps(world, steps)
        const known = await readFullState(world.standin)
        await world.app.close()
        const reopened = await openStandin(stateDir)
        reopened.clock.advanceMs(world.clock.now().getTime() - reopened.clock.now().getTime())
        expect(await readFullState(reopened.standin)).toEqual(known)
        await reopened.app.close()
      } finally {
        await world.app.close()
        rmSync(stateDir, { recursive: true })
      }
    }),
    { numRuns: proofRuns(60) },
  )
})

/** Random actions of one customer; rejections are expected. */
async function runSteps({ standin, clock, call }: Awaited<ReturnType<typeof openStandin>>, steps: readonly Step[]) {
  const withCard = { payment_method: 'pm_card_visa', 'invoice_settings[default_payment_method]': 'pm_card_visa' }
  const customer = (await call('POST', 'customers', withCard)).id
  const portal = (await call('POST', 'billing_portal/sessions', { customer })).id
  let subscription = { id: 'sub_none', items: { data: [{ id: 'si_none' }] }, latest_invoice: 'in_none' }
  const tryInPortal = async (operation: (ctx: RequestContext) => unknown) => {
    await standin.change(operation).catch((error: unknown) => {
      if (!(error instanceof StripeError)) throw error
    })
  }
  const runStep = async (wanted: Step) => {
    const { id } = subscription
    const own = { subscription: id }
    switch (wanted.do) {
      case 'subscribe': {
        const created = await call('POST', 'subscriptions', { customer, ...wanted.form })
        if (created.id) subscription = created
        return
      }
      case 'change':
        return call('POST', `subscriptions/${id}`, { 'items[0][id]': subscription.items.data[0]!.id, ...wanted.form })
      case 'update':
        return call('POST', `subscriptions/${id}`, wanted.form)
      case 'cancel':
        return call('DELETE', `subscriptions/${id}`)
      case 'resume':
        return call('POST', `subscriptions/${id}/resume`)
      case 'pay':
        return call('POST', `invoices/${subscription.latest_invoice}/pay`)
      case 'portal cancel':
        return tryInPortal((ctx) => cancelFromPortal(ctx, portal, own))
      case 'portal resume':
        return tryInPortal((ctx) => undoCancellation(ctx, portal, own))
      case 'portal change':
        return tryInPortal((ctx) => changePlan(ctx, portal, { ...own, price: wanted.price }))
      case 'portal card':
        return tryInPortal((ctx) => updatePaymentMethod(ctx, portal, { card: wanted.card }))
      case 'advance':
        clock.advanceMs(wanted.days * daySeconds * 1000)
        return standin.tick()
    }
  }
  for (const wanted of steps) {
    await runStep(wanted)
    if (subscription.id !== 'sub_none') subscription = await call('GET', `subscriptions/${subscription.id}`)
    await expectEventsToMatchState(standin)
  }
}

/** The newest event about each subscription and invoice equals what the API returns. */
async function expectEventsToMatchState(standin: Standin): Promise<void> {
  await standin.read((ctx) => {
    const latest = new Map<unknown, unknown>()
    for (const event of ctx.db.all('events')) {
      const { id } = event.data.object as { id: string }
      latest.set(id, event.data.object)
    }
    const recent = ({ created }: { created: number }) => created > ctx.now - 29 * daySeconds
    for (const subscription of ctx.db.all('subscriptions').filter(recent))
      expect(presentSubscription(ctx, subscription)).toEqual(latest.get(subscription.id))
    for (const invoice of ctx.db.all('invoices').filter(recent))
      expect(presentInvoice(ctx, invoice)).toEqual(latest.get(invoice.id))
  })
}

async function readFullState(standin: Standin): Promise<unknown> {
  return standin.read((ctx) => ({
    events: ctx.db.all('events').map((event) => presentEvent(ctx, event)),
    subscriptions: ctx.db.all('subscriptions').map((subscription) => presentSubscription(ctx, subscription)),
    invoices: ctx.db.all('invoices').map((invoice) => presentInvoice(ctx, invoice)),
    customers: ctx.db.all('customers'),
    settings: ctx.db.all('settings'),
  }))
}
