import { buildSegment, ContactScan, IdList, type LiveSegment, StoreScan } from '@storedex/search-index'
import { Pace, type SlicedWork } from '@storedex/work'
import { describe, expect, test } from 'vitest'
import { Random } from '../../catalogue/build/random.ts'
import { type BadSearch, SearchOpener } from '../search/bad-filters/bad-search.ts'
import { Climb } from '../search/bad-filters/climb.ts'
import { SearchMutator } from '../search/bad-filters/mutate.ts'
import worst from '../search/bad-filters/worst.json' with { type: 'json' }
import { generateCatalogue } from '../search/catalogue/generate.ts'
import { readBenchTaxonomy } from '../search/catalogue/taxonomy.ts'
import type { Search } from '../search/engine.ts'

const taxonomy = await readBenchTaxonomy()
/** Enough for many windows of the greatest width. */
const live: LiveSegment = { segment: buildSegment(generateCatalogue(taxonomy, 150_000)), dead: null }
const opener = new SearchOpener(taxonomy, live, IdList)

/** Units after which these searches pause, and how many numbers of the index may be read until then. */
const unitsPerSlice = 32_768
const mostReads = 80_000

let reads = 0

/** An array that counts what is read of it, and of its parts. */
function counting<Numbers extends object>(numbers: Numbers): Numbers {
  return new Proxy(numbers, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target)
      if (typeof value === 'number') {
        reads++
        return value
      }
      if (typeof value !== 'function') return value
      if (key === 'subarray') return (...range: number[]) => counting(value.apply(target, range))
      return value.bind(target)
    },
  })
}

const { segment } = live
const column = (range: typeof segment.created) => ({
  ...range,
  values: counting(range.values),
  order: counting(range.order),
})
const counted: LiveSegment = {
  segment: {
    ...segment,
    bits: counting(segment.bits),
    entries: counting(segment.entries),
    mentions: counting(segment.mentions),
    mentionStarts: counting(segment.mentionStarts),
    contactStarts: counting(segment.contactStarts),
    contactSignatures: counting(segment.contactSignatures),
    contactNumbers: counting(segment.contactNumbers),
    activeAds: column(segment.activeAds),
    created: column(segment.created),
    discovered: column(segment.discovered),
  },
  dead: null,
}

function scanOf(search: Search, segments: readonly LiveSegment[]): SlicedWork<unknown> {
  return search.kind === 'stores'
    ? new StoreScan(segments, search.query, search.after, search.limit)
    : new ContactScan(segments, search)
}

/** The reads of each slice of a search. */
function readsOfSlices(bad: BadSearch): number[] {
  const work = scanOf(opener.open({ ...bad, excluded: 'none' })!, [counted])
  const pace = new Pace(() => true, unitsPerSlice)
  const slices: number[] = []
  for (let result: unknown; result === undefined; ) {
    reads = 0
    pace.begin()
    result = work.advance(pace)
    slices.push(reads)
  }
  return slices
}

describe('the worst filters found', () => {
  const searches = worst as unknown as BadSearch[]

  test.each(searches.map((bad, index) => [index, bad] as const))('number %i reads little in each slice', (_, bad) => {
    expect(Math.max(...readsOfSlices(bad))).toBeLessThan(mostReads)
  })

  test('read far more than that altogether', () => {
    const totals = searches.map((bad) => readsOfSlices(bad).reduce((sum, each) => sum + each, 0))
    expect(Math.max(...totals)).toBeGreaterThan(2 * mostReads)
  })
})

test('climbing finds searches that cost more than random ones', () => {
  const random = new Random(5)
  const mutator = new SearchMutator(taxonomy, random)
  const costOf = (bad: BadSearch) => {
    const search = opener.open(bad)
    if (!search) return null
    let units = 0
    class CountingPace extends Pace {
      override spend(spent: number): boolean {
        units += spent
        return false
      }
    }
    scanOf(search, [live]).advance(new CountingPace(() => false))
    return { totalMs: units, longestSliceMs: 0 }
  }
  const climb = new Climb(mutator, random, costOf, 'totalMs')
  for (let step = 0; step < 600; step++) climb.step()
  const drawn = Array.from({ length: 300 }, () => costOf(mutator.draw())?.totalMs ?? 0)
  expect(climb.worst[0]!.totalMs).toBeGreaterThan(Math.max(...drawn))
})
