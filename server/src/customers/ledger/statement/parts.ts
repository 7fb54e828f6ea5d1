/** The parts of a charge, which decide the text of its statement. */

import { meters as allMeters, type Meter } from '../../accounts/plans.ts'

/** `counted` is charged by its amount, `each_once` by how many of its ids are new, `read` only tells what is left. */
type MeterPart = 'counted' | 'each_once' | 'read'

export interface ChargeParts {
  /** Whether the requests are counted in their windows, if account and keys are what the process took them for. */
  admits: boolean
  isAlone: boolean
  /** Whether any of several requests is of a key with a budget of these meters. */
  hasBudgets: boolean
  meters: Partial<Record<Meter, MeterPart>>
  /** Whether what is delivered has to be of the current version of the catalogue. */
  ofCatalogue: boolean
  /** Whether to list which of some contacts are revealed. */
  listsRevealed: boolean
  /** Search rows that a person looks at: `page` of rows, of which those shown within ten minutes are free, or just `rows`. */
  views: 'page' | 'rows' | null
  /** Whether reserved amounts are spent. */
  spendsReserved: boolean
}

/** Such as `charge_admit_rows_exports`: what a charge consists of, for one request or several. */
export function kindOfCharge(parts: ChargeParts): string {
  const { admits, meters, ofCatalogue, listsRevealed, views, spendsReserved } = parts
  let name = 'charge'
  if (admits) name += '_admit'
  if (ofCatalogue) name += '_delivered'
  for (const meter of allMeters)
    if (meters[meter]) name += `_${shortNames[meter] ?? meter}${meters[meter] === 'read' ? '_read' : ''}`
  if (listsRevealed) name += '_revealed'
  if (views) name += views === 'page' ? '_viewed' : '_looked_at'
  if (spendsReserved) name += '_reserved'
  return name
}

/** The name of the statement for charges of a kind. */
export function nameOfCharge({ isAlone, hasBudgets }: ChargeParts, kind: string): string {
  if (isAlone) return kind
  return hasBudgets ? `${kind}_several_budgets` : `${kind}_several`
}

const shortNames: Partial<Record<Meter, string>> = {
  contact_credits: 'credits',
  search_rows: 'rows',
  store_exports: 'exports',
}

/** SQL of a value that each request has. */
export const of = (name: string, type: string, isAlone: boolean, request: string) =>
  isAlone ? `:${name}::${type}` : `(:${name}s::${type}[])[${request}]`

/** What has rows if the charge is paid. A lone request is counted in its windows also if its exports or credits are refused. */
export const paying = ({ isAlone, meters }: ChargeParts) =>
  isAlone && Object.values(meters).includes('each_once') ? 'paying' : 'admitted'
