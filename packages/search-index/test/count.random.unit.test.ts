import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makesAllRuns, proofRuns } from '../../../bin/tests/proof-runs.ts'
import { type CountPart, countMatches } from '../src/count/count.ts'
import type { MomentRange, PersonQuery, StoreQuery } from '../src/query.ts'
import { buildSegment } from '../src/segments/build.ts'
import type { LiveSegment } from '../src/segments/segment.ts'
import { contactsPerStore, rankInStore, signatureToken, traitsToken } from '../src/traits.ts'
import { type PlainContact, type PlainStore, stageStores } from './support/plain-segments.ts'
import { integer, randomFrom } from './support/random-stores.ts'

const seeds = [20_261_122, Math.floor(Math.random() * 2 ** 31)]
/** Below and above one window of 32,768 documents; the last one is split into segments of both kinds. */
const catalogues = [
  { size: 40, segments: 1 },
  { size: 700, segments: 3 },
  { size: 36_000, segments: 2 },
]
const contactsToken = 3
const roleTokens = [50, 51, 52]
const facetTokens = Array.from({ length: 40 }, (_, index) => index + 201)
const poll = () => {}

/** Tokens 201 to 240 get rarer; about half of them are sparse. */
function drawStore(random: () => number, id: number): PlainStore {
  const count = random() < 0.4 ? 0 : 1 + integer(random, random() < 0.02 ? 60 : 4)
  const contacts = Array.from({ length: count }, (_, index): PlainContact => {
    const [role, traits] = [[0, ...roleTokens][integer(random, 4)]!, integer(random, 24)]
    return { role, traits, number: index * 3, isRevealable: (traits & 7) !== 4 || random() < 0.5 }
  })
  const tokens = new Set([
    ...facetTokens.filter((token) => random() < 0.9 * 0.82 ** (token - 201)),
    ...(count > 0 ? [contactsToken] : []),
    ...contacts.flatMap(({ role, traits }) => [
      traitsToken(traits),
      ...(role === 0 ? [] : [role, signatureToken(role, traits)]),
    ]),
  ])
  return {
    id,
    negatedScore: -integer(random, 3),
    activeAds: integer(random, 4),
    created: integer(random, 10) > 0 ? integer(random, 40) / 4 : null,
    discovered: null,
    tokens: [...tokens].sort((a, b) => a - b),
    contacts,
  }
}

/** Each store lives in one segment; some have a dead copy, like another store, in each of the others. */
function splitIntoSegments(random: () => number, stores: PlainStore[], count: number): LiveSegment[] {
  const homes = stores.map(() => integer(random, count))
  return Array.from({ length: count }, (_, segment) => {
    const living = stores.filter((_, place) => homes[place] === segment)
    const graves = stores
      .filter((_, place) => homes[place] !== segment && random() < 0.2)
      .map(({ id }) => ({ ...stores[integer(random, stores.length)]!, id }))
    const built = buildSegment(stageStores([...living, ...graves]))
    const deadIds = new Set(graves.map(({ id }) => id))
    const dead = new Int32Array((built.size + 31) >>> 5)
    for (const [document, id] of built.ids.entries()) if (deadIds.has(id)) dead[document >>> 5]! |= 1 << (document & 31)
    return { segment: built, dead: deadIds.size > 0 ? dead : null }
  })
}

const someTokens = (maxLength: number) =>
  fc
    .uniqueArray(fc.integer({ min: 201, max: 241 }), { minLength: 1, maxLength })
    .map((tokens) => tokens.sort((a, b) => a - b))
const range = fc.option(
  fc.record({ from: fc.option(fc.integer({ min: 0, max: 10 })), to: fc.option(fc.integer({ min: 0, max: 10 })) }),
  { freq: 1 },
)
const storeQueries: fc.Arbitrary<StoreQuery> = fc.record({
  clauses: fc.array(someTokens(6), { maxLength: 3 }),
  noneOf: fc.oneof(fc.constant<number[]>([]), someTokens(2)),
  minActiveAds: fc.option(fc.integer({ min: 1, max: 4 }), { freq: 1 }),
  createdBetween: range,
  discoveredBetween: fc.constant(null),
})
const personQueries: fc.Arbitrary<PersonQuery> = fc
  .record({
    roleTokens: fc.option(fc.subarray(roleTokens, { minLength: 1 }), { freq: 1 }),
    traits: fc.option(fc.subarray([...Array(24).keys()]), { freq: 1 }),
  })
  .map(({ roleTokens: roles, traits }) => ({
    roles: null,
    roleTokens: roles,
    traits,
    storeTokens: roles
      ? (traits?.flatMap((packed) => roles.map((role) => signatureToken(role, packed))) ?? roles)
      : (traits?.map(traitsToken) ?? [contactsToken]),
  }))
const parts: fc.Arbitrary<CountPart> = fc.record({
  store: fc.oneof({ weight: 1, arbitrary: fc.constant(plainQuery()) }, { weight: 4, arbitrary: storeQueries }),
  storeIds: fc.option(fc.uniqueArray(fc.integer({ min: 1, max: 800 }), { maxLength: 40 }), { freq: 1 }),
  person: fc.option(personQueries),
  maxPerStore: fc.option(fc.integer({ min: 1, max: 4 })),
  facets: fc.constant([{ tokens: facetTokens, limit: null }]),
  peopleBy: fc.subarray(['role' as const, 'seniority' as const]),
})

function plainQuery(): StoreQuery {
  return { clauses: [], noneOf: [], minActiveAds: null, createdBetween: null, discoveredBetween: null }
}

function meets(store: PlainStore, { store: query, storeIds }: CountPart): boolean {
  const has = (token: number) => store.tokens.includes(token)
  const isWithin = (value: number | null, bounds: MomentRange | null) =>
    bounds === null || (value !== null && value >= (bounds.from ?? -Infinity) && value <= (bounds.to ?? Infinity))
  return (
    (storeIds === null || storeIds.includes(store.id)) &&
    query.clauses.every((clause) => clause.some(has)) &&
    !query.noneOf.some(has) &&
    store.activeAds >= (query.minActiveAds ?? 0) &&
    isWithin(store.created, query.createdBetween)
  )
}

const keyOf = (store: PlainStore, { number }: PlainContact) => store.id * contactsPerStore + number

/** The people of a store who count, in their order; `chosen` may ask for more than the query does. */
function peopleOf(
  store: PlainStore,
  { person, maxPerStore }: CountPart,
  excluded: ReadonlySet<number>,
  chosen: (contact: PlainContact) => boolean = () => true,
): PlainContact[] {
  return store.contacts
    .filter(
      (contact) =>
        (person!.roleTokens?.includes(contact.role) ?? true) &&
        (person!.traits?.includes(contact.traits) ?? true) &&
        !excluded.has(keyOf(store, contact)) &&
        chosen(contact),
    )
    .sort((a, b) => rankInStore(a.traits, a.number) - rankInStore(b.traits, b.number))
    .slice(0, maxPerStore ?? undefined)
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)
const hasChannel = ({ traits }: PlainContact) => (traits & 7) !== 4

describe.each(seeds)('seed %i', (seed) => {
  test.each(catalogues)('counts what is there in $size stores of $segments segments', ({ size, segments }) => {
    const random = randomFrom(seed)
    const stores = Array.from({ length: size }, (_, index) => drawStore(random, index + 1))
    const split = splitIntoSegments(random, stores, segments)
    const drawn = (share: number) => stores.filter(() => random() < share)
    const someKeys = (share: number) =>
      drawn(share)
        .flatMap((store) => store.contacts.filter(() => random() < 0.5).map((contact) => keyOf(store, contact)))
        .sort((a, b) => a - b)
    let counted = 0
    fc.assert(
      fc.property(parts, fc.boolean(), fc.boolean(), (part, leavesOut, verifiedOnly) => {
        const exported = new Set(drawn(0.3).map(({ id }) => id))
        const [revealed, excluded] = [someKeys(0.3), leavesOut ? someKeys(0.3) : []]
        const request = {
          parts: [part],
          exportedStores: Float64Array.from(exported),
          revealedContacts: Float64Array.from(revealed),
          excludedContacts: [Float64Array.from(excluded.slice(0, 3)), Float64Array.from(excluded.slice(3))],
          verifiedOnly,
        }
        const [outside, known] = [new Set(excluded), new Set(revealed)]
        const people = (store: PlainStore, chosen?: (contact: PlainContact) => boolean) =>
          peopleOf(store, part, outside, chosen)
        const matching = stores.filter(
          (store) => meets(store, part) && (part.person === null || people(store).length > 0),
        )
        const weightOf = (store: PlainStore) => (part.person === null ? 1 : people(store).length)
        const byGroup = (group: (contact: PlainContact) => number, groups: number[]) =>
          groups
            .map((each) => [each, sum(matching.map((store) => people(store, (one) => group(one) === each).length))])
            .filter(([, count]) => count! > 0)
        const counts = countMatches(split, request, poll)
        const expectedGroups =
          part.person === null
            ? part.peopleBy.map(() => [])
            : part.peopleBy.map((by) =>
                by === 'role'
                  ? byGroup(({ role }) => role, [0, ...roleTokens])
                  : byGroup(({ traits }) => traits >> 3, [0, 1, 2]),
              )
        expect({
          ...counts,
          parts: counts.parts.map((one) => ({
            ...one,
            peopleBy: one.peopleBy.map((groups) =>
              [...groups].filter(([, count]) => count > 0).sort(([a], [b]) => a - b),
            ),
          })),
        }).toEqual({
          parts: [
            {
              stores: matching.length,
              people: part.person === null ? 0 : sum(matching.map(weightOf)),
              facets: [
                facetTokens.map((token) => sum(matching.filter(({ tokens }) => tokens.includes(token)).map(weightOf))),
              ],
              peopleBy: expectedGroups,
            },
          ],
          exported: matching.filter(({ id }) => exported.has(id)).length,
          unrevealed:
            part.person === null
              ? 0
              : sum(
                  matching.map(
                    (store) =>
                      people(store).filter(
                        (contact) =>
                          (verifiedOnly ? hasChannel(contact) : contact.isRevealable) &&
                          !known.has(keyOf(store, contact)),
                      ).length,
                  ),
                ),
        })
        counted += matching.length

        const limit = 1 + integer(random, 12)
        const cut = { ...part, facets: [{ tokens: facetTokens, limit }] }
        const greatest = (all: number[]) => [...all].sort((a, b) => b - a).slice(0, limit)
        expect(greatest(countMatches(split, { ...request, parts: [cut] }, poll).parts[0]!.facets[0]!)).toEqual(
          greatest(counts.parts[0]!.facets[0]!),
        )
      }),
      { seed, numRuns: size > 10_000 ? proofRuns(4, 1) : proofRuns(100) },
    )
    if (makesAllRuns) expect(counted).toBeGreaterThan(0)
  })
})

test('stops as soon as nobody waits any more', () => {
  const random = randomFrom(1)
  const split = splitIntoSegments(
    random,
    Array.from({ length: 200 }, (_, index) => drawStore(random, index + 1)),
    1,
  )
  const part = { store: plainQuery(), storeIds: null, person: null, maxPerStore: null, facets: [], peopleBy: [] }
  const request = {
    parts: [part],
    exportedStores: null,
    revealedContacts: null,
    excludedContacts: [],
    verifiedOnly: false,
  }
  const gone = () => {
    throw new Error('gone')
  }
  expect(() => countMatches(split, request, gone)).toThrow('gone')
})
