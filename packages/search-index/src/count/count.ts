import { finishSteps, unhurried } from '@storedex/work'
import type { PersonQuery, StoreQuery } from '../query.ts'
import { type Conditions, codesOf, findDocument, findDocuments, resolveQuery } from '../scan/resolve.ts'
import type { LiveSegment, Segment } from '../segments/segment.ts'
import { ConditionBits } from './condition-bits.ts'
import { type Matches, matchDocuments, matchesOf } from './match.ts'
import {
  contactBits,
  countBySignature,
  countPeople,
  countRevealable,
  type PeopleCount,
  type PeopleOptions,
} from './people.ts'
import type { Poll } from './poll.ts'
import { countAllLiving, createTokenCounter, type TokenCounter } from './token-counts.ts'

/** The tokens of a facet. */
export interface TokenFacet {
  tokens: readonly number[]
  /** Only the greatest counts of stores are needed, this many: others may be told as 0. Null for all. */
  limit: number | null
}

type PeopleGroup = 'role' | 'seniority'

/** One query, and what to count of its results. */
export interface CountPart {
  store: StoreQuery
  /** The only stores to count; null for all. */
  storeIds: readonly number[] | null
  /** Counts people instead of stores; null for stores. */
  person: PersonQuery | null
  maxPerStore: number | null
  facets: readonly TokenFacet[]
  /** Counts the people by role token, or by seniority (packed traits divided by eight). */
  peopleBy: readonly PeopleGroup[]
}

export interface CountRequest {
  parts: readonly CountPart[]
  /** Ids of stores; those among the results of the first part are counted. */
  exportedStores: Float64Array | null
  /** Keys of contacts, ascending: store id × 4096 + number. */
  revealedContacts: Float64Array | null
  /** Lists of such keys: these contacts count as if they were not there. */
  excludedContacts: readonly Float64Array[]
  /** Whether only verified emails are delivered, so that fewer contacts can be revealed. */
  verifiedOnly: boolean
}

export interface PartCount {
  stores: number
  /** 0 when stores are counted. */
  people: number
  /** By facet and token, in their order. */
  facets: number[][]
  /** In the order of the part's `peopleBy`: role token or seniority → how many. */
  peopleBy: Map<number, number>[]
}

export interface CountResult {
  parts: PartCount[]
  /** Of the first part: exported stores, and people who can be revealed and are not yet. */
  exported: number
  unrevealed: number
}

/**
 * Counts exactly, over segments without a living store in common. `poll` is called every few tens of microseconds
 * and may throw to give up.
 */
export function countMatches(segments: readonly LiveSegment[], request: CountRequest, poll: Poll): CountResult {
  const excluded = segments.map(({ segment }) => contactBits(segment, request.excludedContacts))
  const known = segments.map(({ segment }) => new ConditionBits(segment))
  const results = request.parts.map((part) =>
    segments.map((live, index) => matchPart(live, part, { excluded: excluded[index]!, known: known[index]!, poll })),
  )
  const first = results[0] ?? []
  const [head] = request.parts
  return {
    parts: request.parts.map((part, index) => sumUp(part, results[index]!, poll)),
    exported: request.exportedStores ? sum(first, (result) => result.countStores(request.exportedStores!)) : 0,
    unrevealed: head?.person ? sum(first, (result) => result.countUnrevealed(request, poll)) : 0,
  }
}

function sumUp(part: CountPart, results: SegmentResult[], poll: Poll): PartCount {
  return {
    stores: sum(results, ({ matches }) => matches.count),
    people: sum(results, (result) => result.people),
    facets: part.facets.map((facet) => countFacet(part.person ? { ...facet, limit: null } : facet, results, poll)),
    peopleBy: part.peopleBy.map((by) => addUp(results.map((result) => result.countPeopleBy(by, poll)))),
  }
}

function addUp(counts: readonly Map<number, number>[]): Map<number, number> {
  const total = new Map<number, number>()
  for (const one of counts) for (const [group, count] of one) total.set(group, (total.get(group) ?? 0) + count)
  return total
}

/**
 * Tokens are counted in the order of how many stores have them at all, which no count of stores exceeds. So with a limit,
 * counting stops once the rest cannot be among the greatest.
 */
function countFacet({ tokens, limit }: TokenFacet, results: SegmentResult[], poll: Poll): number[] {
  const bounds = tokens.map((token) => sum(results, (result) => result.boundOf(token)))
  const counts = tokens.map(() => 0)
  const greatest: number[] = []
  for (const index of [...tokens.keys()].sort((a, b) => bounds[b]! - bounds[a]!)) {
    if (bounds[index] === 0) break
    if (limit !== null && greatest.length >= limit && greatest[limit - 1]! > bounds[index]!) break
    poll()
    const count = sum(results, (result) => result.countToken(tokens[index]!))
    counts[index] = count
    if (limit === null) continue
    const place = greatest.findIndex((other) => other < count)
    greatest.splice(place < 0 ? greatest.length : place, 0, count)
    greatest.length = Math.min(greatest.length, limit)
  }
  return counts
}

interface MatchOptions {
  excluded: Int32Array | null
  known: ConditionBits
  poll: Poll
}

function matchPart(live: LiveSegment, part: CountPart, { excluded, known, poll }: MatchOptions): SegmentResult {
  const { person, maxPerStore, storeIds } = part
  const { segment, dead } = live
  const query = person ? { ...part.store, clauses: [...part.store.clauses, person.storeTokens] } : part.store
  const conditions = resolveQuery(live, query)
  if (!conditions) return new SegmentResult(segment, noMatches, null, null)
  const only = storeIds && finishSteps(findDocuments(segment, storeIds, unhurried))
  const matches = matchDocuments(conditions, only, known, poll)
  if (person) {
    const options = { person, maxPerStore, excluded }
    return new SegmentResult(segment, matches, { options, ...countPeople(segment, matches, options, poll) }, null)
  }
  const isUnconditional = !only && !restricts(conditions)
  const ofAll = isUnconditional
    ? countAllLiving(segment, dead && createTokenCounter(segment, matchesOf(dead), null))
    : null
  return new SegmentResult(segment, matches, null, ofAll)
}

const noMatches: Matches = { count: 0, bits: new Int32Array(0), documents: new Uint32Array(0) }

function restricts({ clauses, unwanted, ranges }: Conditions): boolean {
  return clauses.length + unwanted.slots.length + unwanted.codes.length + ranges.length > 0
}

/** What matches in one segment. */
class SegmentResult {
  readonly matches: Matches
  readonly #segment: Segment
  readonly #people: (PeopleCount & { options: PeopleOptions }) | null
  #counter: TokenCounter | null

  constructor(
    segment: Segment,
    matches: Matches,
    people: (PeopleCount & { options: PeopleOptions }) | null,
    counter: TokenCounter | null,
  ) {
    this.matches = matches
    this.#segment = segment
    this.#people = people
    this.#counter = counter
  }

  get people(): number {
    return this.#people?.people ?? 0
  }

  countToken(token: number): number {
    const code = codesOf(this.#segment).get(token)
    if (code === undefined || this.matches.count === 0) return 0
    this.#counter ??= createTokenCounter(this.#segment, this.matches, this.#people?.weights ?? null)
    return this.#counter.count(code)
  }

  /** How many stores can have the token at most. */
  boundOf(token: number): number {
    const code = codesOf(this.#segment).get(token)
    if (code === undefined || this.matches.count === 0) return 0
    return Math.min(this.#segment.tokenCounts[code]!, this.matches.count)
  }

  countStores(storeIds: Float64Array): number {
    const { bits, count } = this.matches
    if (count === 0) return 0
    let found = 0
    for (const id of storeIds) {
      const document = findDocument(this.#segment, id)
      if (document >= 0) found += (bits[document >>> 5]! >>> (document & 31)) & 1
    }
    return found
  }

  countUnrevealed({ revealedContacts, verifiedOnly }: CountRequest, poll: Poll): number {
    if (!this.#people || this.matches.count === 0) return 0
    const revealed = contactBits(this.#segment, revealedContacts ? [revealedContacts] : [])
    return countRevealable(this.#segment, this.matches, { ...this.#people.options, revealed, verifiedOnly }, poll)
  }

  countPeopleBy(by: PeopleGroup, poll: Poll): Map<number, number> {
    if (!this.#people || this.matches.count === 0) return new Map()
    const { signatureRoles, signatureTraits } = this.#segment
    const groups = by === 'role' ? signatureRoles : Int32Array.from(signatureTraits, (packed) => packed >> 3)
    return countBySignature(this.#segment, this.matches, { ...this.#people.options, groups }, poll)
  }
}

function sum<T>(items: readonly T[], figure: (item: T) => number): number {
  return items.reduce((total, item) => total + figure(item), 0)
}
