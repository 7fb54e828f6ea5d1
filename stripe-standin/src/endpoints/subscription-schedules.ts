import { releaseSchedule } from '../billing/subscriptions/record.ts'
import { endpoint } from '../http/endpoint.ts'
import { invalidRequest, noSuch } from '../http/errors.ts'
import { allows, listPage, listParams } from '../http/lists.ts'
import { flag, text } from '../http/params.ts'
import { presentSchedule } from '../presenters/subscriptions.ts'
import type { Desk } from '../state/database.ts'
import type { SubscriptionSchedule } from '../state/subscription-records.ts'
import { subscriptionNamed } from './lookup.ts'

function scheduleNamed(desk: Desk, id: string): SubscriptionSchedule {
  const schedule = desk.book.get('subscription_schedules', id)
  if (!schedule) throw noSuch('subscription_schedule', id)
  return schedule
}

export const subscriptionScheduleEndpoints = [
  endpoint({
    method: 'GET',
    path: '/v1/subscription_schedules',
    params: { ...listParams, customer: text },
    run(desk, { customer, ...page }) {
      return listPage({
        url: '/v1/subscription_schedules',
        what: 'subscription_schedule',
        records: desk.book.all('subscription_schedules'),
        matches: (schedule) => allows(customer, schedule.customer),
        page,
        present: (schedule) => presentSchedule(desk, schedule),
      })
    },
  }),
  endpoint({
    method: 'GET',
    path: '/v1/subscription_schedules/:id',
    params: {},
    run: (desk, _params, { id }) => presentSchedule(desk, scheduleNamed(desk, id)),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/subscription_schedules/:id/release',
    params: { preserve_cancel_date: flag },
    run(desk, _params, { id }) {
      const schedule = scheduleNamed(desk, id)
      if (schedule.status !== 'active')
        throw invalidRequest(`You cannot release a subscription schedule that is \`${schedule.status}\`.`)
      releaseSchedule(desk, subscriptionNamed(desk, schedule.subscription))
      return presentSchedule(desk, scheduleNamed(desk, id))
    },
  }),
]
