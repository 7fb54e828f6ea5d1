/** What replies say about a plan: in a usage report and in a billing status. */

import { Type } from 'typebox'
import { ClosedObject, GrowingEnum, Nullable, OneOf, Timestamp } from '../../foundation/kernel/shapes.ts'
import type { KnownStatus } from './account.ts'
import { planSlugs } from './plans.ts'

const statusMeanings: Record<KnownStatus, string> = {
  none: 'there was never a subscription',
  trialing: 'a trial runs',
  active: 'paid, or granted by the operator',
  past_due: 'a payment failed and is tried again; access is closed',
  unpaid: 'a payment failed for good; access is closed',
  canceled: 'the subscription has ended; access is closed',
  incomplete: 'the first payment is outstanding; access is closed',
  incomplete_expired: 'the first payment was never made; access is closed',
  paused: 'a trial ended without a payment method; access is closed',
}

const Trial = ClosedObject(
  {
    active: Type.Boolean({ description: 'Whether a trial runs now.' }),
    ends_at: Nullable(Timestamp('When the trial ends, or has ended; null if there was none or its end is open.')),
  },
  { title: 'PlanTrial', description: 'The trial of the plan.' },
)

export const planProperties = {
  slug: OneOf(planSlugs, {
    description: 'The plan whose limits count; free without a subscription, and once it has ended.',
  }),
  name: Type.String({ maxLength: 200, description: 'Name of that plan, for people.' }),
  status: GrowingEnum('State of the subscription.', statusMeanings) as ReturnType<typeof Type.Unsafe<string>>,
  trial: Trial,
}
