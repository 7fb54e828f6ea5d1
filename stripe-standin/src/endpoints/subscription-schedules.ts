import { defineEndpoint } from '../api/endpoint.ts'
import { listParams, matchesFilter, paginate } from '../api/lists.ts'
import { boolean, text } from '../api/params.ts'
import { releaseSchedule } from '../billing/subscriptions/record.ts'
import { presentSchedule } from '../presenters/subscriptions.ts'
import type { RequestContext } from '../state/database.ts'
import { invalidRequest, resourceMissing } from '../state/errors.ts'
import type { SubscriptionSchedule } from '../state/subscription-records.ts'
import { getSubscription } from './lookup.ts'

function getSchedule(ctx: RequestContext, id: string): SubscriptionSchedule {
  const schedule = ctx.db.get('subscription_schedules', id)
  if (!schedule) throw resourceMissing('subscription_schedule', id)
  return schedule
}

export const subscriptionScheduleEndpoints = [
  defineEndpoint({
    method: 'GET',
    path: '/v1/subscription_schedules',
    params: { ...listParams, customer: text },
    run(ctx, { customer, ...page }) {
      return paginate({
        url: '/v1/subscription_schedules',
        objectName: 'subscription_schedule',
        records: ctx.db.all('subscription_schedules'),
        matches: (schedule) => matchesFilter(customer, schedule.customer),
        page,
        present: (schedule) => presentSchedule(ctx, schedule),
      })
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/subscription_schedules/:id',
    params: {},
    run: (ctx, _params, { id }) => presentSchedule(ctx, getSchedule(ctx, id)),
  }),
  defineEndpoint({
    method: 'POST',
    path: '/v1/subscription_schedules/:id/release',
    params: { preserve_cancel_date: boolean },
    run(ctx, _params, { id }) {
      const schedule = getSchedule(ctx, id)
      if (schedule.status !== 'active')
        throw invalidRequest(`You cannot release a subscription schedule that is \`${schedule.status}\`.`)
      releaseSchedule(ctx, getSubscription(ctx, schedule.subscription))
      return presentSchedule(ctx, getSchedule(ctx, id))
    },
  }),
]
