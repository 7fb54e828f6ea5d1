import type { Limits, PlanFile } from '../accounts/plans.ts'

/** Limits that admission counts calls against. */
export type CountedLimit = keyof Limits & `${string}_per_${string}`

const textsOf = new WeakMap<PlanFile, Map<string, string>>()

/** Some limits of every plan, in and out of a trial, as the admission statements read them. */
export function planLimitsJson(plans: PlanFile, wanted: readonly CountedLimit[]): string {
  const texts = textsOf.get(plans) ?? new Map<string, string>()
  textsOf.set(plans, texts)
  const name = wanted.join()
  const known = texts.get(name)
  if (known) return known
  const figures: Record<string, Partial<Limits>> = {}
  for (const [slug, plan] of Object.entries(plans.plans)) {
    figures[slug] = pick(plan.limits, wanted)
    figures[`trial:${slug}`] = pick({ ...plan.limits, ...plans.trial }, wanted)
  }
  const text = JSON.stringify(figures)
  texts.set(name, text)
  return text
}

function pick(limits: Limits, wanted: readonly CountedLimit[]): Partial<Limits> {
  return Object.fromEntries(wanted.map((limit) => [limit, limits[limit]]))
}
