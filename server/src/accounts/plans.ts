import { readFile } from 'node:fs/promises'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { OperatorError } from '../kernel/errors.ts'
import { Closed, Count } from '../kernel/shapes.ts'

export const planSlugs = ['free', 'pro', 'business', 'enterprise'] as const
export type PlanSlug = (typeof planSlugs)[number]

const Limits = Closed({
  contact_credits: Count('Contact credits a month.'),
  store_exports: Count('Unique stores delivered a month.'),
  search_rows: Count('Rows returned by the two searches a month.'),
  requests_per_minute: Count('Requests in a fixed window of a minute.'),
  requests_per_day: Count('Requests in a UTC day.'),
  billing_status_per_hour: Count('Billing status checks in a fixed window of an hour.'),
  billing_links_per_hour: Count('Billing links created in a fixed window of an hour.'),
})
export type Limits = Static<typeof Limits>

/** What can be set for one account: any figure of the plan, and the trial's own cap of contact credits. */
export const overridableMeters = [
  ...(Object.keys(Limits.properties) as (keyof Limits)[]),
  'trial_contact_credits',
] as const
export type OverridableMeter = (typeof overridableMeters)[number]
export type LimitOverrides = Partial<Record<OverridableMeter, number>>

const Plan = Closed({ name: Type.String({ minLength: 1 }), limits: Limits })

const PlanFile = Closed({
  plans: Closed({ free: Plan, pro: Plan, business: Plan, enterprise: Plan }),
  trial: Type.Partial(Limits, {
    additionalProperties: false,
    description: 'Figures that replace the plan’s during a trial.',
  }),
  search: Closed({
    max_rows_walked: Type.Integer({ minimum: 1 }),
    max_rows_walked_unfiltered: Type.Integer({ minimum: 1 }),
  }),
})

/** What the operator sells: the plan file, checked. */
export type PlanFile = Static<typeof PlanFile>

/** Reads and checks a plan file; every refusal names the place in the file. */
export async function readPlanFile(path: string): Promise<PlanFile> {
  const text = await readFile(path, 'utf8').catch((cause) => {
    throw new OperatorError(`The plan file ${path} cannot be read.`, { cause })
  })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new OperatorError(`The plan file ${path} is not JSON: ${(cause as Error).message}`, { cause })
  }
  const [fault] = Value.Errors(PlanFile, value)
  if (fault)
    throw new OperatorError(`The plan file ${path} is wrong at ${fault.instancePath || '/'}: it ${fault.message}.`)
  return value as PlanFile
}
