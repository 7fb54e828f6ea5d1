import type { StopReason } from '../export-states.ts'
import type { Candidate } from './items.ts'

/** What an export may still deliver and spend. */
export interface Budget {
  rows: number
  /** Reserved, and not spent. */
  credits: number
  storeExports: number
  /** Why there are no more credits, when they are used up. */
  creditsBound: 'max_credits' | 'credits'
}

/** Rows that the account has already, which cost nothing. */
export interface Owned {
  /** Null if no check is needed, because the budget covers everything. */
  exportedStores: ReadonlySet<number> | null
  revealedContacts: ReadonlySet<number> | null
}

export interface ChosenRows {
  rows: Candidate[]
  /** The bound that was reached; null if all candidates were chosen. */
  stoppedBy: StopReason | null
}

/** Takes candidates in their order until the first one that is beyond a bound. */
export function chooseRows(
  candidates: readonly Candidate[],
  isReveal: boolean,
  budget: Budget,
  owned: Owned,
): ChosenRows {
  let { credits, storeExports } = budget
  const paidStores = new Set<number>()
  for (const [index, { storeId, contactId }] of candidates.entries()) {
    const stop = (stoppedBy: StopReason): ChosenRows => ({ rows: candidates.slice(0, index), stoppedBy })
    if (index >= budget.rows) return stop('max_rows')
    if (isReveal && owned.revealedContacts && !owned.revealedContacts.has(contactId!)) {
      if (credits === 0) return stop(budget.creditsBound)
      credits--
    }
    if (owned.exportedStores && !owned.exportedStores.has(storeId) && !paidStores.has(storeId)) {
      if (storeExports === 0) return stop('exports')
      storeExports--
      paidStores.add(storeId)
    }
  }
  return { rows: [...candidates], stoppedBy: null }
}
