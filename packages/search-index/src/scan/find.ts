import type { ContactSortKey, ContactQuery, PersonQuery, StoreSortKey, StoreQuery } from '../query.ts'
import type { LiveSegment, Segment } from '../segments/segment.ts'
import { rankInStore } from '../traits.ts'
import { findDocuments, resolveQuery } from './resolve.ts'
import { scanDocuments } from './scan.ts'
import { findFirstDocument, mergeSorted, sortKeyOf } from './sort-keys.ts'

/** The first `limit` stores after a position that answer a query, in result order, over segments that share no living store. */
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
 * The first `limit` people after a position that answer a search, in result order. Every store that is found has such a
 * person, since the tokens of stores tell of their people; so a page needs no more stores than rows and one, that of the
 * position, of which nobody may be left.
 */
export function scanContacts(segments: readonly LiveSegment[], search: ContactQuery): ContactSortKey[] {
  const { store, storeIds, person, after, limit } = search
  const query = { ...store, clauses: [...store.clauses, person.storeTokens] }
  const lists = segments.map((live) => {
    const conditions = resolveQuery(live, query)
    if (!conditions) return []
    const only = storeIds && findDocuments(live.segment, storeIds)
    const first = findFirstDocument(live.segment, after, true)
    return peopleAt(live.segment, scanDocuments(conditions, first, limit + 1, only), search)
  })
  return mergeSorted(lists, limit)
}

/** The people of stores in result order; those up to the position are dropped only after the cut within their store. */
function peopleAt(segment: Segment, documents: number[], { person, maxPerStore, after, limit }: ContactQuery) {
  const { contactStarts, contactSignatures, contactNumbers, signatureTraits } = segment
  const isAsked = askedSignatures(segment, person)
  const people: ContactSortKey[] = []
  for (const document of documents) {
    const { negatedScore, storeId } = sortKeyOf(segment, document)
    const passed = after && after.storeId === storeId && after.negatedScore === negatedScore ? after.contact : -1
    const end = contactStarts[document + 1]!
    let taken = 0
    for (let at = contactStarts[document]!; at < end && taken < maxPerStore; at++) {
      const signature = contactSignatures[at]!
      if (isAsked[signature] === 0) continue
      taken++
      const contact = rankInStore(signatureTraits[signature]!, contactNumbers[at]!)
      if (contact <= passed) continue
      people.push({ negatedScore, storeId, contact })
      if (people.length === limit) return people
    }
  }
  return people
}

/** Signature → 1 for those that the query asks for. */
function askedSignatures(
  { signatureRoles, signatureTraits }: Segment,
  { roleTokens, traits }: PersonQuery,
): Uint8Array {
  const isAsked = new Uint8Array(signatureRoles.length)
  for (let signature = 0; signature < isAsked.length; signature++) {
    const meets =
      (roleTokens === null || roleTokens.includes(signatureRoles[signature]!)) &&
      (traits === null || traits.includes(signatureTraits[signature]!))
    if (meets) isAsked[signature] = 1
  }
  return isAsked
}
