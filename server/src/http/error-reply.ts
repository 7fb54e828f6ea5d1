import { type Static, Type } from 'typebox'
import { type ErrorCode, type ErrorType, errorTable } from '../kernel/errors.ts'
import { Closed, Count, Moment, Nullable, RequestId } from '../kernel/shapes.ts'

const errorTypes = [...new Set<ErrorType>(Object.values(errorTable).map(([, type]) => type))]

const oneLine = '^\\S.*$'

/** What a lapsed account can do to get its access back. */
const ApiAccessBillingAction = Closed(
  {
    action: Type.Union([Type.Literal('create_subscription_link'), Type.Literal('manage_billing')]),
    url: Type.String({ format: 'uri', maxLength: 2048 }),
    endpoint: Type.Union([
      Type.Literal('/api/v1/billing/subscription-link'),
      Type.Literal('/api/v1/billing/portal-link'),
    ]),
  },
  { description: 'How an account without API access gets it back.' },
)

/** How a trial becomes the paid plan. */
export const TrialCreditBillingAction = Closed(
  {
    can_unlock_paid_credits_now: Type.Optional(Type.Boolean()),
    action: Type.Literal('end_trial_to_unlock_pro_credits'),
    current_limit: Count("The trial's cap."),
    paid_plan_limit: Count("The paid plan's monthly credits."),
    trial_ends_at: Nullable(Moment('End of the trial.')),
    url: Type.String({ format: 'uri', maxLength: 2048, description: 'Where a person ends the trial.' }),
  },
  { description: 'How a trial account gets the credits of its paid plan.' },
)

/** The body of every reply that is not a success. */
export const ErrorReply = Closed(
  {
    error: Closed({
      type: Type.Enum(errorTypes, { type: 'string' }),
      code: Type.String({
        pattern: '^[a-z_]+$',
        maxLength: 64,
        description: 'Stable, for programs; more codes may come.',
        examples: ['invalid_limit'] satisfies ErrorCode[],
      }),
      message: Type.String({
        pattern: oneLine,
        maxLength: 1000,
        description: 'One sentence for a person; its wording may change.',
      }),
      param: Type.Optional(
        Type.String({
          pattern: oneLine,
          maxLength: 500,
          description: 'JSON path of the offending value, the missing scope, or the limit that tripped.',
          examples: ['filters.apps.any[1]'],
        }),
      ),
      billing: Type.Optional(Type.Union([ApiAccessBillingAction, TrialCreditBillingAction])),
      request_id: RequestId,
    }),
  },
  { description: 'Why a request was refused.' },
)
export type ErrorReply = Static<typeof ErrorReply>
