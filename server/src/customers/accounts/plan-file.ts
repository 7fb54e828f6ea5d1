import { readFile } from 'node:fs/promises'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { OperatorError } from '../../foundation/kernel/errors.ts'
import { ClosedObject } from '../../foundation/kernel/shapes.ts'
import { laterLimits, type limitNames, maxCounterValue, type PlanFile } from './plans.ts'

/** The shape of the plan file. Apart from `plans.ts`, because commands start faster without the library. */

const Figure = (description: string) => Type.Integer({ minimum: 0, maximum: maxCounterValue, description })

const PlanLimits = ClosedObject({
  contact_credits: Figure('Contact credits a month.'),
  store_exports: Figure('Unique stores delivered a month.'),
  search_rows: Figure('Rows returned by the two searches a month.'),
  requests_per_minute: Figure('Requests in a fixed window of a minute.'),
  requests_per_day: Figure('Requests in a UTC day.'),
  billing_status_per_hour: Figure('Billing status checks in a fixed window of an hour.'),
  billing_links_per_hour: Figure('Billing links created in a fixed window of an hour.'),
  ready_exports: Type.Optional(Figure('Files of exports that are kept at once, those being written included.')),
  ready_export_bytes: Type.Optional(Figure('Bytes of kept files from which on no other export begins.')),
} satisfies Record<(typeof limitNames)[number], unknown>)

const Plan = ClosedObject({ name: Type.String({ minLength: 1 }), limits: PlanLimits })

const PlanFileShape = ClosedObject({
  plans: ClosedObject({ free: Plan, pro: Plan, business: Plan, enterprise: Plan }),
  trial: Type.Partial(PlanLimits, {
    additionalProperties: false,
    description: 'Figures that replace the plan’s during a trial.',
  }),
  search: ClosedObject({
    max_rows_walked: Type.Integer({ minimum: 1, maximum: maxCounterValue }),
    max_rows_walked_unfiltered: Type.Integer({ minimum: 1, maximum: maxCounterValue }),
  }),
})

/** Reads and validates a plan file. Every error names the path within the file. */
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
  const [error] = Value.Errors(PlanFileShape, value)
  if (error) {
    const problem = error.keyword === 'boolean' ? 'is not a setting' : error.message
    throw new OperatorError(`The plan file ${path} is wrong: ${error.instancePath.slice(1) || 'it'} ${problem}.`)
  }
  const file = value as Static<typeof PlanFileShape>
  for (const plan of Object.values(file.plans)) plan.limits = { ...laterLimits, ...plan.limits }
  return file as PlanFile
}
