import type { PersonQuery } from '../query.ts'
import { wantedSignatures } from '../scan/find.ts'
import { findDocument } from '../scan/resolve.ts'
import { type Segment, wordsOf } from '../segments/segment.ts'
import { contactsPerStore, traitsCount } from '../traits.ts'
import type { Matches } from './match.ts'
import type { Poll } from './poll.ts'

/** How people are counted, beside which of them match. */
export interface PeopleOptions {
  person: PersonQuery
  /** At most this many of each store; null for all. */
  maxPerStore: number | null
  /** Bits by contact of those to leave out; null for none. */
  excluded: Int32Array | null
}

/** The matching people of a segment. */
export interface PeopleCount {
  /** Document → how many of its people count; 0 where the store does not match. */
  weights: Uint16Array
  people: number
}

/** Counts the people of the matching documents; documents that have none left are removed from `matches`. */
export function countPeople(segment: Segment, matches: Matches, options: PeopleOptions, poll: Poll): PeopleCount {
  const { contactStarts, contactSignatures } = segment
  const { maxPerStore, excluded } = options
  const isWanted = wantedSignatures(segment, options.person)
  const takesAll = excluded === null && isWanted.every((wanted) => wanted === 1)
  const most = maxPerStore ?? contactsPerStore
  const weights = new Uint16Array(segment.size)
  let people = 0
  visit(matches, poll, (document) => {
    const start = contactStarts[document]!
    const end = contactStarts[document + 1]!
    let taken = 0
    if (takesAll) taken = Math.min(end - start, most)
    else
      for (let at = start; at < end && taken < most; at++)
        if (isWanted[contactSignatures[at]!] === 1 && !hasBit(excluded, at)) taken++
    weights[document] = taken
    people += taken
    return taken > 0
  })
  return { weights, people }
}

/** Counts the people that can be revealed and are not in `revealed`, bits by contact. */
export function countRevealable(
  segment: Segment,
  matches: Matches,
  options: PeopleOptions & { revealed: Int32Array | null; verifiedOnly: boolean },
  poll: Poll,
): number {
  const { contactStarts, contactSignatures } = segment
  const { maxPerStore, excluded, revealed } = options
  const isWanted = wantedSignatures(segment, options.person)
  const canBeRevealed = revealableSignatures(segment, options.verifiedOnly)
  const most = maxPerStore ?? contactsPerStore
  let total = 0
  visit(matches, poll, (document) => {
    const end = contactStarts[document + 1]!
    let taken = 0
    for (let at = contactStarts[document]!; at < end && taken < most; at++) {
      const signature = contactSignatures[at]!
      if (isWanted[signature] === 0 || hasBit(excluded, at)) continue
      taken++
      if (canBeRevealed[signature] === 1 && !hasBit(revealed, at)) total++
    }
    return true
  })
  return total
}

/** Counts people by a number of their signature, such as their role; the cut of `maxPerStore` applies to each number alone. */
export function countBySignature(
  segment: Segment,
  matches: Matches,
  options: PeopleOptions & { groups: Int32Array },
  poll: Poll,
): Map<number, number> {
  const { contactStarts, contactSignatures } = segment
  const { maxPerStore, excluded, groups } = options
  const isWanted = wantedSignatures(segment, options.person)
  const most = maxPerStore ?? contactsPerStore
  const distinct = [...new Set(groups)]
  const placeOf = Uint32Array.from(groups, (group) => distinct.indexOf(group))
  const totals = new Float64Array(distinct.length)
  // The document that a group was counted for last, + 1, and how many of it.
  const lastDocument = new Uint32Array(distinct.length)
  const taken = new Uint32Array(distinct.length)
  visit(matches, poll, (document) => {
    const end = contactStarts[document + 1]!
    for (let at = contactStarts[document]!; at < end; at++) {
      const signature = contactSignatures[at]!
      if (isWanted[signature] === 0 || hasBit(excluded, at)) continue
      const place = placeOf[signature]!
      if (lastDocument[place] !== document + 1) {
        lastDocument[place] = document + 1
        taken[place] = 0
      }
      if (taken[place]! >= most) continue
      taken[place]!++
      totals[place]!++
    }
    return true
  })
  return new Map(distinct.map((group, place) => [group, totals[place]!]))
}

/** Bits by contact of a segment for the contacts with these keys (store id and number), each list ascending; null for none. */
export function contactBits(segment: Segment, lists: readonly Float64Array[]): Int32Array | null {
  if (lists.every((keys) => keys.length === 0)) return null
  const bits = new Int32Array(wordsOf(segment.contactNumbers.length))
  for (const keys of lists) addContacts(segment, keys, bits)
  return bits
}

function addContacts(segment: Segment, keys: Float64Array, bits: Int32Array): void {
  const { contactStarts, contactNumbers } = segment
  let lastStore = -1
  let document = -1
  for (const key of keys) {
    const store = Math.floor(key / contactsPerStore)
    if (store !== lastStore) document = findDocument(segment, store)
    lastStore = store
    if (document < 0) continue
    const number = key - store * contactsPerStore
    for (let at = contactStarts[document]!; at < contactStarts[document + 1]!; at++)
      if (contactNumbers[at] === number) bits[at >>> 5]! |= 1 << (at & 31)
  }
}

/** Traits without a verified email, phone and profile. */
const isBare = Uint8Array.from({ length: traitsCount }, (_, packed) => ((packed & 7) === 4 ? 1 : 0))

/** Signature → 1 if such a contact can be revealed. Where only verified emails are delivered, the traits decide. */
function revealableSignatures({ signatureTraits, signatureRevealable }: Segment, verifiedOnly: boolean): Uint8Array {
  return verifiedOnly ? Uint8Array.from(signatureTraits, (packed) => 1 - isBare[packed]!) : signatureRevealable
}

const visitsPerPoll = 8_192

/** Calls `keeps` for each matching document, ascending; where it returns false, the document no longer matches. */
function visit(matches: Matches, poll: Poll, keeps: (document: number) => boolean): void {
  const { bits } = matches
  let untilPoll = 0
  let removed = 0
  for (let word = 0; word < bits.length; word++) {
    let left = bits[word]!
    if (left === 0) continue
    if (untilPoll <= 0) {
      poll()
      untilPoll = visitsPerPoll / 32
    }
    untilPoll--
    for (; left !== 0; left &= left - 1) {
      const bit = left & -left
      if (keeps(word * 32 + 31 - Math.clz32(bit))) continue
      bits[word]! &= ~bit
      removed++
    }
  }
  if (removed === 0) return
  matches.count -= removed
  matches.documents = matches.documents?.filter((document) => hasBit(bits, document)) ?? null
}

function hasBit(bits: Int32Array | null, at: number): boolean {
  return bits !== null && ((bits[at >>> 5]! >>> (at & 31)) & 1) !== 0
}
