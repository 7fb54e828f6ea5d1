/** A plan that a fresh stand-in sells, monthly and annually. */
export interface PlanForSale {
  /** Names the price ids and lookup keys: `price_standin_{slug}_monthly`, `storedex_{slug}_monthly`. */
  readonly slug: string
  readonly name: string
  readonly monthly_cents: number
  readonly annual_cents: number
}

export const defaultPlans: readonly PlanForSale[] = [
  { slug: 'pro', name: 'Pro', monthly_cents: 4_900, annual_cents: 49_000 },
  { slug: 'business', name: 'Business', monthly_cents: 19_900, annual_cents: 199_000 },
  { slug: 'enterprise', name: 'Enterprise', monthly_cents: 99_900, annual_cents: 999_000 },
]

/** Plans from JSON text; throws with a sentence when it is anything else. */
export function readPlans(text: string): readonly PlanForSale[] {
  const wanted = 'STANDIN_PRICES is a JSON list of {"slug","name","monthly_cents","annual_cents"}.'
  try {
    const plans: unknown = JSON.parse(text)
    if (Array.isArray(plans) && plans.length > 0 && plans.every(isPlan)) return plans
  } catch (error) {
    throw new Error(wanted, { cause: error })
  }
  throw new Error(wanted)
}

function isPlan(value: unknown): value is PlanForSale {
  const plan = value as Partial<PlanForSale> | null
  const areCents = [plan?.monthly_cents, plan?.annual_cents].every(
    (cents) => Number.isInteger(cents) && cents! >= 0 && cents! <= 99_999_999,
  )
  return areCents && typeof plan?.name === 'string' && /^[a-z][a-z0-9_]*$/.test(String(plan.slug))
}
