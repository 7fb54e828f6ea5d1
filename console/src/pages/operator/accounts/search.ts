import { choiceParam, parsePagePlace, type RawSearch, textParam } from '#lib/search-params.ts'
import type { OperatorAccount } from '../api.ts'
import { planSlugs, subscriptionStatuses } from '../labels.ts'

export const accountStates = [...subscriptionStatuses, 'suspended', 'closed'] as const
type AccountState = (typeof accountStates)[number]

/** The page's search parameters. A search for an email address is not among them. */
export interface OperatorAccountsSearch {
  search?: string
  plan?: OperatorAccount['plan']
  status?: AccountState
  cursor?: string
  page?: number
}

export function validateOperatorAccountsSearch(raw: RawSearch): OperatorAccountsSearch {
  const search = textParam(raw.search)
  const plan = choiceParam(raw.plan, planSlugs)
  const status = choiceParam(raw.status, accountStates)
  return {
    ...(search && !search.includes('@') && { search }),
    ...(plan && { plan }),
    ...(status && { status }),
    ...parsePagePlace(raw),
  }
}
