/** The API reveals at most this many contacts in one call. */
const idsPerStep = 10

type StepState = 'waiting' | 'running' | 'done' | 'failed'

export interface RevealStep<Contact> {
  ids: readonly string[]
  /** Made once. Every try of the step sends it, so that a step whose answer was lost is paid for once. */
  idempotencyKey: string
  state: StepState
  /** Who was delivered; fewer than the ids where somebody could not be revealed. */
  contacts: readonly Contact[]
  /** Credits that it spent. */
  spent: number
}

export interface Totals {
  /** Ids of finished steps. */
  asked: number
  delivered: number
  spent: number
}

/** Splits ids into steps, each id once. */
export function planSteps<Contact>(ids: readonly string[], newKey: () => string): RevealStep<Contact>[] {
  const distinct = [...new Set(ids)]
  const count = Math.ceil(distinct.length / idsPerStep)
  return Array.from({ length: count }, (_, index) => ({
    ids: distinct.slice(index * idsPerStep, (index + 1) * idsPerStep),
    idempotencyKey: newKey(),
    state: 'waiting',
    contacts: [],
    spent: 0,
  }))
}

export function totalsOf(steps: readonly RevealStep<unknown>[]): Totals {
  const done = steps.filter(({ state }) => state === 'done')
  const sum = (amountOf: (step: RevealStep<unknown>) => number) =>
    done.reduce((total, step) => total + amountOf(step), 0)
  return {
    asked: sum(({ ids }) => ids.length),
    delivered: sum(({ contacts }) => contacts.length),
    spent: sum((s) => s.spent),
  }
}
