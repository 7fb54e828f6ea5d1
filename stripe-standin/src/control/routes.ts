import type { FastifyInstance } from 'fastify'
import { cancelSubscription } from '../billing/subscriptions/cancel.ts'
import { patchSubscription } from '../billing/subscriptions/record.ts'
import { getSubscription } from '../endpoints/lookup.ts'
import { checkApiKey } from '../http/access.ts'
import { presentSubscription } from '../presenters/subscriptions.ts'
import type { Standin } from '../standin.ts'
import type { RequestContext } from '../state/database.ts'
import { invalidRequest } from '../state/errors.ts'
import { type Faults, noFaults } from '../state/faults.ts'
import type { Settings } from '../state/records.ts'
import { getSettings } from '../state/seed.ts'
import type { Subscription, SubscriptionStatus } from '../state/subscription-records.ts'

const share = { type: 'number', minimum: 0, maximum: 1 }
const count = { type: 'integer', minimum: 0 }

const clockBody = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  properties: { advance_seconds: count, now: count },
}

const faultsBody = {
  type: 'object',
  additionalProperties: false,
  properties: {
    slow_ms: count,
    fail_next: count,
    fail_rate: share,
    fail_after: count,
    status: { type: 'integer', enum: [0, 400, 401, 402, 404, 409, 429, 500, 502, 503] },
    half_answer: count,
    drop_events: share,
    duplicate_events: share,
    reorder_events: { type: 'boolean' },
    late_ms: count,
    seed: count,
  },
}

const settingsBody = {
  type: 'object',
  additionalProperties: false,
  properties: {
    retry_days: { type: 'array', items: { type: 'number', exclusiveMinimum: 0 }, maxItems: 8 },
    after_retries: { type: 'string', enum: ['cancel', 'mark_unpaid', 'leave_past_due'] },
    draft_seconds: count,
  },
}

const maxAdvanceSeconds = 10 * 365 * 86_400

const statuses: readonly SubscriptionStatus[] = [
  'trialing',
  'active',
  'past_due',
  'unpaid',
  'canceled',
  'incomplete',
  'incomplete_expired',
  'paused',
]
const statusBody = {
  type: 'object',
  additionalProperties: false,
  required: ['status'],
  properties: { status: { type: 'string', enum: statuses } },
}

type ClockBody = { advance_seconds: number } | { now: number }

const maxBodyBytes = 16_384

/**
 * Controls that Stripe does not have: clock, faults, dashboard settings, and a view of the state. Bodies are JSON;
 * requests need the API key.
 */
export function registerControlRoutes(app: FastifyInstance, standin: Standin): void {
  app.register(
    async (control) => {
      control.removeContentTypeParser('text/plain') // a foreign page could send it without a CORS preflight
      control.addHook('onRequest', async ({ headers }) => checkApiKey(standin.secretKey, headers.authorization))
      control.addHook('onRoute', (route) => {
        route.bodyLimit = maxBodyBytes
      })
      control.get('/state', () => standin.read((ctx) => describeState(ctx, standin)))
      control.post<{ Body: ClockBody }>('/clock', { schema: { body: clockBody } }, async ({ body }) => {
        await standin.change((ctx) => advanceClock(ctx, body))
        await standin.tick()
        await standin.settle()
        return { now: Math.floor(standin.nowMs() / 1000) }
      })
      control.post<{ Body: Partial<Faults> & { seed?: number } }>(
        '/faults',
        { schema: { body: faultsBody } },
        async ({ body: { seed, ...faults } }) => {
          standin.faults.set(faults, seed)
          return standin.faults.current
        },
      )
      control.delete('/faults', async () => {
        standin.faults.set(noFaults, 1)
        return standin.faults.current
      })
      control.post<{ Body: Partial<Settings> }>('/settings', { schema: { body: settingsBody } }, ({ body }) =>
        standin.change(({ db }) => db.update('settings', getSettings(db), body)),
      )
      control.post('/flush', async () => {
        await standin.settle(true)
        return standin.read((ctx) => describeState(ctx, standin))
      })
      control.post<{ Params: { id: string }; Body: { status: SubscriptionStatus } }>(
        '/subscriptions/:id/status',
        { schema: { body: statusBody } },
        ({ params, body }) =>
          standin.change((ctx) => {
            const forced = forceStatus(ctx, getSubscription(ctx, params.id), body.status)
            return presentSubscription(ctx, forced)
          }),
      )
    },
    { prefix: '/_standin' },
  )
}

function advanceClock(ctx: RequestContext, move: ClockBody): void {
  const settings = getSettings(ctx.db)
  const seconds = 'now' in move ? move.now - ctx.now : move.advance_seconds
  if (seconds > maxAdvanceSeconds) throw invalidRequest('The clock can advance by at most ten years at a time.')
  if (seconds < 0) throw invalidRequest('The clock can only move forward.', { param: 'now' })
  ctx.db.update('settings', settings, { clock_offset_seconds: settings.clock_offset_seconds + seconds })
}

function forceStatus(ctx: RequestContext, subscription: Subscription, status: SubscriptionStatus): Subscription {
  if (status === 'canceled') return cancelSubscription(ctx, subscription, { reason: null })
  const ended = status === 'incomplete_expired'
  const trialEnd = subscription.trial_end !== null && subscription.trial_end > ctx.now ? subscription.trial_end : null
  return patchSubscription(ctx, subscription, {
    status,
    ended_at: ended ? ctx.now : null,
    ...(status === 'trialing' && {
      trial_start: subscription.trial_start ?? ctx.now,
      trial_end: trialEnd ?? subscription.items[0]!.current_period_end,
      trial_will_end_told: false,
    }),
  })
}

function describeState(ctx: RequestContext, standin: Standin): object {
  const { db } = ctx
  const byStatus: Record<string, number> = {}
  for (const { status } of db.all('subscriptions')) byStatus[status] = (byStatus[status] ?? 0) + 1
  const { clock_offset_seconds, retry_days, after_retries, draft_seconds } = getSettings(db)
  return {
    now: ctx.now,
    clock_offset_seconds,
    counts: {
      customers: db.all('customers').length,
      subscriptions: db.all('subscriptions').length,
      invoices: db.all('invoices').length,
      checkout_sessions: db.all('checkout_sessions').length,
      portal_sessions: db.all('portal_sessions').length,
      webhook_endpoints: db.all('webhook_endpoints').length,
      events: db.all('events').length,
      undelivered_events: db.all('deliveries').length,
    },
    subscriptions_by_status: byStatus,
    settings: { retry_days, after_retries, draft_seconds },
    faults: standin.faults.current,
  }
}
