import {
  buildSegment,
  type MomentRange,
  rankInStore,
  type StagedStores,
  type StoreQuery,
  scanContacts,
  scanStores,
  unpackTraits,
} from '@storedex/search-index'
import { expect, test } from 'vitest'
import { computeContactTokens } from '../../server/src/catalogue/writing/search-columns.ts'
import { generateCatalogue } from '../search/catalogue/generate.ts'
import { isRevealable, isRevealableVerified } from '../search/catalogue/people.ts'
import { ResultOrder } from '../search/catalogue/result-order.ts'
import { readBenchTaxonomy } from '../search/catalogue/taxonomy.ts'
import { contactRowKey, type Search, storeRowKey } from '../search/engine.ts'
import { allQuestions } from '../search/questions/questions.ts'
import { drawRandomSearches } from '../search/questions/random-searches.ts'

const taxonomy = await readBenchTaxonomy()
const size = 1_500
const staged = generateCatalogue(taxonomy, size)
const order = new ResultOrder(staged)
const tokensOf = (row: number) => [...staged.tokens.subarray(staged.tokenStarts[row]!, staged.tokenStarts[row + 1]!)]
const contactsOf = ({ contactStarts }: StagedStores, row: number) =>
  Array.from({ length: contactStarts[row + 1]! - contactStarts[row]! }, (_, index) => contactStarts[row]! + index)

test('the same seed gives the same catalogue, another seed another one', () => {
  const bytesOf = (columns: StagedStores) =>
    Buffer.concat(Object.values(columns).map((column) => Buffer.from(new Uint8Array(column.buffer ?? [column]))))
  const bytes = bytesOf(staged)
  expect(bytesOf(generateCatalogue(taxonomy, size)).equals(bytes)).toBe(true)
  expect(bytesOf(generateCatalogue(taxonomy, size, 2)).equals(bytes)).toBe(false)
})

test('a store has the contact tokens that an import would give it', () => {
  const roles = new Map(taxonomy.ranked('role').map((term) => [term.token, term.value]))
  for (let row = 0; row < size; row++) {
    const people = contactsOf(staged, row).map((at) => {
      const [traits, number] = [staged.contactTraits[at]!, staged.contactNumbers[at]!]
      const role = roles.get(staged.contactRoles[at]!) ?? null
      const [revealable, verified] = [isRevealable(traits, number), isRevealableVerified(traits)]
      const emails = Number(unpackTraits(traits).hasVerifiedEmail)
      return { role, traits, total: 1, revealable, verified_revealable: verified, verified_emails: emails }
    })
    const expected = computeContactTokens(people, taxonomy.vocabulary)
    const own = tokensOf(row)
    expect(own).toEqual([...new Set(own)].sort((a, b) => a - b))
    const ofTaxonomy = (token: number) => token === 1 || (token >= 1_000 && token < 2 ** 30)
    expect(own.filter((token) => !ofTaxonomy(token))).toEqual(expected.sort((a, b) => a - b))
  }
})

test('question names are unique, and most broad, typical and contact searches find rows', () => {
  const questions = allQuestions(taxonomy, size)
  expect(questions.length).toBeGreaterThanOrEqual(72)
  expect(new Set(questions.map(({ name }) => name)).size).toBe(questions.length)
  const live = [{ segment: buildSegment(staged), dead: null }]
  const usual = questions.filter((question) => ['broad', 'typical', 'contact'].includes(question.class))
  const found = usual.filter(({ search }) => answer(live, search).length > 0)
  expect(found.length).toBeGreaterThan(usual.length * 0.7)
})

test('questions and random searches find the same rows as a scan of all stores', () => {
  const live = [{ segment: buildSegment(staged), dead: null }]
  const searches = [
    ...allQuestions(taxonomy, size).map(({ search }) => search),
    ...drawRandomSearches(taxonomy, size, 150),
  ]
  for (const search of searches) expect(answer(live, search)).toEqual(lookAtAll(search))
})

function answer(live: Parameters<typeof scanStores>[0], search: Search): number[] {
  return search.kind === 'stores'
    ? scanStores(live, search.query, search.after, search.limit).map(storeRowKey)
    : scanContacts(live, search).map(contactRowKey)
}

function lookAtAll(search: Search): number[] {
  const found: number[] = []
  for (const row of order.rows) {
    if (!meets(row, search.kind === 'stores' ? search.query : search.store)) continue
    const storeId = staged.ids[row]!
    if (search.kind === 'stores') {
      found.push(storeId)
      continue
    }
    const { storeIds, maxPerStore, person } = search
    if (storeIds && !storeIds.includes(storeId)) continue
    const people = contactsOf(staged, row).filter(
      (at) =>
        (person.roleTokens?.includes(staged.contactRoles[at]!) ?? true) &&
        (person.traits?.includes(staged.contactTraits[at]!) ?? true),
    )
    const places = people.map((at) => rankInStore(staged.contactTraits[at]!, staged.contactNumbers[at]!))
    for (const contact of places.sort((a, b) => a - b).slice(0, maxPerStore))
      found.push(contactRowKey({ storeId, contact, negatedScore: 0 }))
  }
  return found.slice(0, search.limit)
}

function meets(row: number, query: StoreQuery): boolean {
  const tokens = new Set(tokensOf(row))
  const isWithin = (moment: number, range: MomentRange | null) =>
    range === null || (moment >= (range.from ?? -Infinity) && moment <= (range.to ?? Infinity))
  return (
    query.clauses.every((clause) => clause.some((token) => tokens.has(token))) &&
    !query.noneOf.some((token) => tokens.has(token)) &&
    (query.minActiveAds === null || staged.activeAds[row]! >= query.minActiveAds) &&
    isWithin(staged.created[row]!, query.createdBetween) &&
    isWithin(staged.discovered[row]!, query.discoveredBetween)
  )
}
