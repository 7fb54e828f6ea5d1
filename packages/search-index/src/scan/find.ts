import { hasKey } from '../exclusion.ts'
import type { ContactQuery, ContactSortKey, PersonQuery, StoreQuery, StoreSortKey } from '../query.ts'
import type { LiveSegment, Segment } from '../segments/segment.ts'
import { contactsPerStore, rankInStore } from '../traits.ts'
import { findDocuments, resolveQuery } from './resolve.ts'
import { scanDocuments } from './scan.ts'
import { findFirstDocument, mergeSorted, sortKeyOf } from './sort-keys.ts'

/** The first `limit` matching stores after a key, in result order. No store is alive in two segments. */
export function scanStores(
  segments: readonly LiveSegment[],
  query: StoreQuery,
  after: StoreSortKey | null,
  limit: number,
): StoreSortKey[] {
  const lists = segments.map((live) => {
    const conditions = resolveQuery(live, query)
    if (!conditions) return []
    const first = findFirstDocument(live.segment, after, false)
    return scanDocuments(conditions, first, limit).map((document) => sortKeyOf(live.segment, document))
  })
  return mergeSorted(lists, limit)
}

/**
 * The first `limit` matching contacts after a key, in result order. Every matching store has a matching contact, because a
 * store's tokens include those of its contacts. So a page needs at most one store more than rows: the store of the key, which
 * may have no contact left. Only if contacts are left out may it need further stores, which are found in growing portions.
 */
export function scanContacts(segments: readonly LiveSegment[], search: ContactQuery): ContactSortKey[] {
  const { store, storeIds, person, after, limit } = search
  const query = { ...store, clauses: [...store.clauses, person.storeTokens] }
  const lists = segments.map((live) => {
    const conditions = resolveQuery(live, query)
    if (!conditions) return []
    const only = storeIds && findDocuments(live.segment, storeIds)
    const contacts: ContactSortKey[] = []
    let first = findFirstDocument(live.segment, after, true)
    for (let portion = limit + 1; ; portion = Math.min(portion * 4, largestPortion)) {
      const documents = scanDocuments(conditions, first, portion, only)
      addContacts(contacts, live.segment, documents, search)
      if (contacts.length === limit || documents.length < portion) return contacts
      first = documents.at(-1)! + 1
    }
  })
  return mergeSorted(lists, limit)
}

const largestPortion = 16_384

/**
 * Contacts up to the key are skipped only after `maxPerStore` has counted them, so the cut does not depend on pages. Those left
 * out are not counted.
 */
function addContacts(contacts: ContactSortKey[], segment: Segment, documents: number[], search: ContactQuery): void {
  const { person, maxPerStore, after, limit, without = [] } = search
  const { contactStarts, contactSignatures, contactNumbers, signatureTraits } = segment
  const isWanted = wantedSignatures(segment, person)
  for (const document of documents) {
    const { negatedScore, storeId } = sortKeyOf(segment, document)
    const passed = after && after.storeId === storeId && after.negatedScore === negatedScore ? after.contact : -1
    const end = contactStarts[document + 1]!
    let taken = 0
    for (let at = contactStarts[document]!; at < end && taken < maxPerStore; at++) {
      const signature = contactSignatures[at]!
      if (isWanted[signature] === 0) continue
      if (without.length > 0 && hasKey(without, storeId * contactsPerStore + contactNumbers[at]!)) continue
      taken++
      const contact = rankInStore(signatureTraits[signature]!, contactNumbers[at]!)
      if (contact <= passed) continue
      contacts.push({ negatedScore, storeId, contact })
      if (contacts.length === limit) return
    }
  }
}

/** Signature → 1 if it matches the query. */
export function wantedSignatures(
  { signatureRoles, signatureTraits }: Segment,
  { roleTokens, traits }: PersonQuery,
): Uint8Array {
  const isWanted = new Uint8Array(signatureRoles.length)
  for (let signature = 0; signature < isWanted.length; signature++) {
    const meets =
      (roleTokens === null || roleTokens.includes(signatureRoles[signature]!)) &&
      (traits === null || traits.includes(signatureTraits[signature]!))
    if (meets) isWanted[signature] = 1
  }
  return isWanted
}
