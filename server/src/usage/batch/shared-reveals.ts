import type { CountedWindows } from '../../auth/caller.ts'
import type { Queryable } from '../../db/pool.ts'
import { type PaidReveals, revealBalance } from '../charge-reveals.ts'
import { readReveals } from '../charge-reveals-queries.ts'
import type { KnownExports } from '../known-exports.ts'
import { exportsOwnerOf, isAdmitted, readPairs, windowsAfterEach } from './batch-outcome.ts'
import { type BatchItem, describeBatch, keyTakenAfterEach, takenAfterEach } from './describe-batch.ts'
import { chargeSharedReveals, type SharedRevealCharge, type SharedRevealOutcome } from './shared-reveals-queries.ts'

/** A request that is about to reveal contacts. */
export interface RevealItem extends BatchItem {
  /** Without repetitions, not empty. */
  contactIds: readonly number[]
  storeIds: readonly number[]
}

export type SharedReveal = PaidReveals & { windows: CountedWindows }

/** Reveals that were paid for, in the order of their requests. */
export interface SharedReveals {
  reveals: SharedReveal[]
  /** Call it once the charge is committed. */
  rememberExports(): void
}

/**
 * Admits and charges reveals of one account together, as if they had come one after the other: a contact that several ask for is
 * new for the first of them. All or nothing: null if the batch was refused, and then nothing was done. Throws if a meter would
 * exceed its allowance (`isAllowanceExceeded`).
 */
export async function payForSharedReveals(
  db: Queryable,
  items: readonly RevealItem[],
  { knownExports, isKept }: { knownExports: KnownExports; isKept: boolean },
): Promise<SharedReveals | null> {
  const batch = describeBatch(items)
  if (!batch) return null
  const owner = exportsOwnerOf(items)
  const exported = knownExports.of(owner)
  const contacts = firstRequests(items.map(({ contactIds }) => contactIds))
  const stores = firstRequests(items.map(({ storeIds }) => storeIds.filter((id) => !exported.has(id))))
  const { entitlement } = items[0]!.caller
  const charge: SharedRevealCharge = {
    creditsPeriodStart: entitlement.creditsPeriod.start,
    creditsAllowance: entitlement.limits.contact_credits,
    creditsBudgets: items.map(({ caller }) => caller.key!.budgets.contact_credits),
    contactIds: [...contacts.keys()],
    contactRequests: [...contacts.values()].map((index) => index + 1),
    storeIds: [...stores.keys()],
    storeRequests: [...stores.values()].map((index) => index + 1),
    ...batch,
  }
  const outcome = await chargeSharedReveals(db, charge, { isKept })
  if (!isAdmitted(items, outcome)) return null
  return {
    reveals: await describeReveals(db, items, charge, { contacts, stores, outcome }),
    rememberExports: () => knownExports.add(owner, stores.keys()),
  }
}

/** Each id with the first of the requests that asks for it, by index. */
function firstRequests(idsOfRequests: readonly (readonly number[])[]): Map<number, number> {
  const first = new Map<number, number>()
  for (const [index, ids] of idsOfRequests.entries()) for (const id of ids) if (!first.has(id)) first.set(id, index)
  return first
}

interface Charged {
  contacts: ReadonlyMap<number, number>
  stores: ReadonlyMap<number, number>
  outcome: SharedRevealOutcome
}

/** What each request revealed, paid and left. */
async function describeReveals(
  db: Queryable,
  items: readonly RevealItem[],
  { counterKeyIds, creditsPeriodStart, periodStart }: SharedRevealCharge,
  { contacts, stores, outcome }: Charged,
): Promise<SharedReveal[]> {
  const revealed = readIds(outcome.revealed)
  const known = readPairs(outcome.known)
  const spent = countEach(items.length, revealed, contacts)
  const exports = countEach(items.length, readIds(outcome.exported), stores)
  const creditsTaken = takenAfterEach(outcome.credits_taken, spent)
  const exportsTaken = takenAfterEach(outcome.exports_taken, exports)
  const keyCreditsTaken = keyTakenAfterEach(readPairs(outcome.key_credits_taken), spent, counterKeyIds)
  const keyExportsTaken = keyTakenAfterEach(readPairs(outcome.key_exports_taken), exports, counterKeyIds)
  const windows = windowsAfterEach(items, outcome)

  const describe = async ({ caller, contactIds }: RevealItem, index: number): Promise<SharedReveal> => {
    const reveals = new Map<number, { revealedAt: Date; isNew: boolean }>()
    for (const id of contactIds) {
      const first = contacts.get(id)!
      if (revealed.has(id)) reveals.set(id, { revealedAt: items[first]!.spentAt, isNew: first === index })
      else if (known.has(id)) reveals.set(id, { revealedAt: new Date(known.get(id)!), isNew: false })
    }
    let taken = {
      credits_taken: creditsTaken[index]!,
      exports_taken: exportsTaken[index]!,
      key_credits_taken: keyCreditsTaken[index]!,
      key_exports_taken: keyExportsTaken[index]!,
    }
    if (reveals.size < contactIds.length) {
      // A concurrent request revealed the others. Its rows are visible now, because the charge waited for its commit.
      const { accountId, mode, key } = caller
      const periods = { creditsPeriodStart, periodStart }
      const rows = await readReveals(db, {
        ...{ accountId, mode, counterKeyId: key!.counterKeyId, contactIds: [...contactIds] },
        ...periods,
      })
      for (const row of rows)
        if (!reveals.has(row.contact_id)) reveals.set(row.contact_id, { revealedAt: row.revealed_at!, isNew: false })
      // If the batch paid, its own figures are later than those commits; otherwise they are earlier.
      if (revealed.size === 0) taken = rows[0]!
    }
    return { reveals, spent: spent[index]!, balance: revealBalance(caller, taken), windows: windows[index]! }
  }
  const described: SharedReveal[] = []
  for (const [index, item] of items.entries()) described.push(await describe(item, index))
  return described
}

/** How many of the ids are new for each request. */
function countEach(requests: number, ids: ReadonlySet<number>, first: ReadonlyMap<number, number>): number[] {
  const counts = new Array<number>(requests).fill(0)
  for (const id of ids) counts[first.get(id)!]!++
  return counts
}

/** Numbers separated by commas. */
function readIds(text: string | null): Set<number> {
  return new Set(text === null ? [] : text.split(',').map(Number))
}
