import fc from 'fast-check'
import type { PlainContact, PlainStore } from './plain-segments.ts'

/** Random catalogues: first the kind of each attribute is drawn, then its values. */

type Random = () => number
type Draw = (random: Random, store: number) => number

/** Ids contain the store's index, so they are distinct. */
const idKinds: Record<string, Draw> = {
  ascending: (_, store) => store + 1,
  scattered: (random, store) => store + 1000 * integer(random, 1000) + (integer(random, 4) > 0 ? 0 : 2 ** 31),
  large: (random, store) => 2 ** 32 - 50 + store + 2 ** 20 * integer(random, 2 ** 20),
}

const scoreKinds: Record<string, Draw> = {
  few: (random) => constant(random, [-100, -87.5, -3, -0, 0, Number.POSITIVE_INFINITY]),
  distinct: (random) => (random() - 0.9) * 100,
  equal: () => -50,
  none: () => Number.POSITIVE_INFINITY,
}

const dateKinds: Record<string, Draw> = {
  seconds: (random) => 1000 * integer(random, 2 ** 32 - 1),
  few: (random) => constant(random, [0, 1000, (2 ** 32 - 2) * 1000, 1_600_000_000_000]),
  // One moment that does not fit widens the whole column.
  mostlySeconds: (random) => (integer(random, 60) > 0 ? 1000 * integer(random, 2 ** 31) : (2 ** 32 - 1) * 1000),
  milliseconds: (random) => integer(random, 2 ** 41),
  early: (random) => integer(random, 2 ** 40) - 2 ** 39,
}

const tokenKinds: Record<string, Draw> = {
  few: (random) => integer(random, 6) + 1,
  skewed: (random) => Math.floor(300 * random() ** 4) + 1,
  many: (random) => constant(random, [integer(random, 2 ** 31), 2 ** 31 - 1 - integer(random, 500)]),
}

const contactCounts: Record<string, Draw> = {
  none: () => 0,
  some: (random) => integer(random, 6),
  crowds: (random) => (integer(random, 10) > 0 ? 0 : integer(random, 200)),
}

const kindOf = (kinds: Record<string, Draw>) => fc.constantFrom(...Object.keys(kinds))

/** The description of a catalogue, printed by a failing run. */
export const catalogues = fc.record({
  seed: fc.nat(),
  size: fc.oneof(fc.nat(40), fc.nat(300), fc.nat(1500)),
  ids: kindOf(idKinds),
  scores: kindOf(scoreKinds),
  created: kindOf(dateKinds),
  discovered: kindOf(dateKinds),
  tokens: kindOf(tokenKinds),
  contacts: kindOf(contactCounts),
  missing: fc.constantFrom(0, 0.2, 1),
})

export type Catalogue = typeof catalogues extends fc.Arbitrary<infer T> ? T : never

/** The stores of a catalogue in any order; `variant` gives other stores of the same ids. */
export function drawStores(catalogue: Catalogue, variant = 0): PlainStore[] {
  const idRandom = randomFrom(catalogue.seed)
  const ids = Array.from({ length: catalogue.size }, (_, store) => idKinds[catalogue.ids]!(idRandom, store))
  const random = randomFrom(catalogue.seed + variant * 7919)
  const orNone = (draw: Draw) => (random() < catalogue.missing ? null : draw(random, 0))
  return [...new Set(ids)].map((id) => ({
    id,
    negatedScore: scoreKinds[catalogue.scores]!(random, 0),
    activeAds: random() < catalogue.missing ? 0 : integer(random, 2 ** 31) + 1,
    created: orNone(dateKinds[catalogue.created]!),
    discovered: orNone(dateKinds[catalogue.discovered]!),
    tokens: drawTokens(random, tokenKinds[catalogue.tokens]!),
    contacts: drawContacts(random, contactCounts[catalogue.contacts]!(random, 0)),
  }))
}

function drawTokens(random: Random, draw: Draw): number[] {
  const tokens = Array.from({ length: integer(random, 8) }, () => draw(random, 0))
  return [...new Set(tokens)].sort((a, b) => a - b)
}

function drawContacts(random: Random, count: number): PlainContact[] {
  const contacts = Array.from({ length: count }, (_, index) => ({
    role: constant(random, [0, 7, 8, 40_000_000]),
    traits: integer(random, 24),
    number: ((index * 1031) % 4093) + 1,
    isRevealable: integer(random, 3) > 0,
  }))
  return random() < 0.5 ? contacts : contacts.reverse()
}

/** A random integer from 0 to `count` - 1. */
export function integer(random: Random, count: number): number {
  return Math.floor(random() * count)
}

function constant<T>(random: Random, values: readonly T[]): T {
  return values[integer(random, values.length)]!
}

/** Seeded random numbers from 0 to 1 (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
