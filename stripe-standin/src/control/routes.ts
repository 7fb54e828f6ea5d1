import type { FastifyInstance } from 'fastify'
import { cancelSubscription } from '../billing/subscriptions/cancel.ts'
import { changeSubscription } from '../billing/subscriptions/record.ts'
import { subscriptionNamed } from '../endpoints/lookup.ts'
import { checkKey } from '../http/access.ts'
import { invalidRequest } from '../http/errors.ts'
import { presentSubscription } from '../presenters/subscriptions.ts'
import type { Standin } from '../standin.ts'
import type { Desk } from '../state/database.ts'
import type { Settings } from '../state/records.ts'
import { currentSettings } from '../state/seed.ts'
import type { Subscription, SubscriptionStatus } from '../state/subscription-records.ts'
import { type Faults, noFaults } from './faults.ts'

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

const furthestSeconds = 10 * 365 * 86_400

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
 * What Stripe does not have: the clock, faults, settings of the dashboard, and a look inside. Bodies are JSON, and requests
 * carry the key of the API.
 */
export function serveControl(app: FastifyInstance, standin: Standin): void {
  app.register(
    async (control) => {
      control.removeContentTypeParser('text/plain') // whatever a page elsewhere can send without asking
      control.addHook('onRequest', async ({ headers }) => checkKey(standin.secretKey, headers.authorization))
      control.addHook('onRoute', (route) => {
        route.bodyLimit = maxBodyBytes
      })
      control.get('/state', () => standin.read((desk) => stateOf(desk, standin)))
      control.post<{ Body: ClockBody }>('/clock', { schema: { body: clockBody } }, async ({ body }) => {
        await standin.change((desk) => moveClock(desk, body))
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
        standin.change(({ book }) => book.amend('settings', currentSettings(book), body)),
      )
      control.post('/flush', async () => {
        await standin.settle(true)
        return standin.read((desk) => stateOf(desk, standin))
      })
      control.post<{ Params: { id: string }; Body: { status: SubscriptionStatus } }>(
        '/subscriptions/:id/status',
        { schema: { body: statusBody } },
        ({ params, body }) =>
          standin.change((desk) => {
            const forced = forceStatus(desk, subscriptionNamed(desk, params.id), body.status)
            return presentSubscription(desk, forced)
          }),
      )
    },
    { prefix: '/_standin' },
  )
}

function moveClock(desk: Desk, move: ClockBody): void {
  const settings = currentSettings(desk.book)
  const seconds = 'now' in move ? move.now - desk.now : move.advance_seconds
  if (seconds > furthestSeconds) throw invalidRequest('The clock goes at most ten years at a time.')
  if (seconds < 0) throw invalidRequest('The clock goes forward only.', { param: 'now' })
  desk.book.amend('settings', settings, { clock_offset_seconds: settings.clock_offset_seconds + seconds })
}

function forceStatus(desk: Desk, subscription: Subscription, status: SubscriptionStatus): Subscription {
  if (status === 'canceled') return cancelSubscription(desk, subscription, { reason: null })
  const ended = status === 'incomplete_expired'
  const trialEnd = subscription.trial_end !== null && subscription.trial_end > desk.now ? subscription.trial_end : null
  return changeSubscription(desk, subscription, {
    status,
    ended_at: ended ? desk.now : null,
    ...(status === 'trialing' && {
      trial_start: subscription.trial_start ?? desk.now,
      trial_end: trialEnd ?? subscription.items[0]!.current_period_end,
      trial_will_end_told: false,
    }),
  })
}

function stateOf(desk: Desk, standin: Standin): object {
  const { book } = desk
  const byStatus: Record<string, number> = {}
  for (const { status } of book.all('subscriptions')) byStatus[status] = (byStatus[status] ?? 0) + 1
  const { clock_offset_seconds, retry_days, after_retries, draft_seconds } = currentSettings(book)
  return {
    now: desk.now,
    clock_offset_seconds,
    counts: {
      customers: book.all('customers').length,
      subscriptions: book.all('subscriptions').length,
      invoices: book.all('invoices').length,
      checkout_sessions: book.all('checkout_sessions').length,
      portal_sessions: book.all('portal_sessions').length,
      webhook_endpoints: book.all('webhook_endpoints').length,
      events: book.all('events').length,
      undelivered_events: book.all('deliveries').length,
    },
    subscriptions_by_status: byStatus,
    settings: { retry_days, after_retries, draft_seconds },
    faults: standin.faults.current,
  }
}
