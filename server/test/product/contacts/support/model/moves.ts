import fc from 'fast-check'
import type { OverridableMeter } from '../../../../../src/customers/accounts/plans.ts'
import { type Facts, type Mode, peopleCounts, type Roster, shopCount } from './catalogue.ts'
import type { Act, Search, State, Wanted } from './model.ts'

/** What is generated at random. `actOf` turns it into an act, which depends on earlier ones: cursors, time, reveals. */
export type Move =
  | { move: 'usage'; key: number }
  | { move: 'lookup'; key: number; shop: number | null }
  | { move: 'search'; key: number; query: Search; limit: number }
  | { move: 'go on'; pick: number; key: number | null; limit: number }
  | { move: 'reveal'; key: number; people: Wanted[]; idempotencyKey: string | null }
  | { move: 'retry'; pick: number; key: number | null; sameBody: boolean }
  | { move: 'limit'; account: number; meter: OverridableMeter; figure: number }
  | { move: 'plan'; account: number; plan: 'free' | 'pro' | 'business' | 'enterprise' }
  | { move: 'status'; account: number; status: 'active' | 'past_due' }
  | { move: 'trial'; account: number; days: number | null }
  | { move: 'import'; person: number; change: number }
  | { move: 'erase'; person: number; pick: number | null }

export type Pause = { pauseMs: number } | { untilEndOfMonthOf: number; beforeIt: boolean }

type Fields<T> = { [Name in keyof T]: fc.Arbitrary<T[Name]> }
// Plain objects, because the model copies states with structuredClone.
const record = <T>(fields: Fields<T>) => fc.record<T>(fields, { noNullPrototype: true }) as fc.Arbitrary<T>
const partial = <T>(fields: Fields<T>) => fc.record(fields, { noNullPrototype: true, requiredKeys: [] })
const move = <Name extends string, T>(name: Name, fields: Fields<T>) =>
  record(fields).map((rest) => ({ move: name, ...rest }))

/** Each account has two live keys, then a test key. */
const keys = fc.nat(5)
export const isTestKey = (key: number) => key % 3 === 2
/** Null for the same key as before. */
const sameOrOther = fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: keys })
const account = fc.nat(1)
const shop = fc.nat(shopCount - 1)
const roles = fc.uniqueArray(fc.constantFrom('marketing', 'founder', 'finance'), { minLength: 1 })

const query: fc.Arbitrary<Search> = fc.oneof(
  record({
    path: fc.constant('/stores/search' as const),
    filter: partial({ has_revealable_contacts: fc.boolean(), roles_any: roles }),
  }),
  record({
    path: fc.constant('/contacts/search' as const),
    filter: partial({
      roles_any: roles,
      seniority_any: fc.uniqueArray(fc.constantFrom('executive', 'decision_maker', 'other'), { minLength: 1 }),
      has_verified_email: fc.boolean(),
      has_phone: fc.boolean(),
      has_profile: fc.boolean(),
    }),
    shops: fc.uniqueArray(shop, { minLength: 1, maxLength: shopCount }).map((shops) => shops.sort((a, b) => a - b)),
    perShop: fc.constantFrom(1, 2, 10),
  }),
)
const limit = fc.constantFrom(1, 2, 3, 10)
/** How many requests ago. */
const recent = fc.nat(3)

const figures: Record<string, fc.Arbitrary<number>> = {
  contact_credits: fc.nat(9),
  trial_contact_credits: fc.nat(5),
  store_exports: fc.nat(5),
  search_rows: fc.nat(40),
  requests_per_minute: fc.constantFrom(4, 500),
  requests_per_day: fc.constantFrom(30, 5_000),
}
const meter = fc.constantFrom(...(Object.keys(figures) as OverridableMeter[]))

/** Mostly with people of the key's own mode. */
export const reveals: fc.Arbitrary<Extract<Move, { move: 'reveal' }>> = keys.chain((key) => {
  const [own, other]: Mode[] = isTestKey(key) ? ['test', 'live'] : ['live', 'test']
  const wanted: fc.Arbitrary<Wanted> = fc
    .oneof({ weight: 8, arbitrary: fc.constant(own!) }, { weight: 1, arbitrary: fc.constant(other!) })
    .chain((mode) => record({ mode: fc.constant(mode), person: fc.nat(peopleCounts[mode] - 1) }))
  const keyed = {
    idempotencyKey: fc.constantFrom<string | null>('a', 'b', 'c', 'd'),
    // Without repeated ids: whether a list with one is the same request is not promised.
    people: fc.uniqueArray(wanted, { minLength: 1, maxLength: 4, selector: ({ mode, person }) => mode + person }),
  }
  const plain = { idempotencyKey: fc.constant(null), people: fc.array(wanted, { minLength: 1, maxLength: 5 }) }
  return fc.oneof(
    move('reveal', { key: fc.constant(key), ...keyed }),
    move('reveal', { key: fc.constant(key), ...plain }),
  )
})

/** Requests of callers. */
export const calls: fc.Arbitrary<Move> = fc.oneof(
  { weight: 2, arbitrary: move('usage', { key: keys }) },
  {
    weight: 2,
    arbitrary: move('lookup', {
      key: keys,
      shop: fc.option(shop, { nil: null, freq: 8 }),
    }),
  },
  { weight: 3, arbitrary: move('search', { key: keys, query, limit }) },
  { weight: 2, arbitrary: move('go on', { pick: fc.nat(), key: sameOrOther, limit }) },
  { weight: 7, arbitrary: reveals },
  {
    weight: 4,
    arbitrary: move('retry', { pick: recent, key: sameOrOther, sameBody: fc.boolean() }),
  },
)

/** Actions of the operator. */
export const operations: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 4,
    arbitrary: meter.chain((name) => move('limit', { account, meter: fc.constant(name), figure: figures[name]! })),
  },
  {
    weight: 2,
    arbitrary: move('plan', {
      account,
      plan: fc.constantFrom('free', 'pro', 'business', 'enterprise'),
    }),
  },
  {
    weight: 1,
    arbitrary: move('status', {
      account,
      status: fc.constantFrom('active', 'past_due'),
    }),
  },
  {
    weight: 3,
    arbitrary: move('trial', { account, days: fc.constantFrom(null, 3, 20, 45) }),
  },
  { weight: 3, arbitrary: move('import', { person: fc.nat(peopleCounts.live - 1), change: fc.nat(4) }) },
  {
    weight: 2,
    arbitrary: move('erase', {
      person: fc.nat(peopleCounts.live - 1),
      pick: fc.option(recent, { nil: null, freq: 4 }),
    }),
  },
)

export const pauses: fc.Arbitrary<Pause> = fc.oneof(
  // No sum of them is a whole day: other tests check the exact expiry.
  record({ pauseMs: fc.constantFrom(1_001, 61_003, 7 * 3_600_000 + 7, 25 * 3_600_000 + 11) }),
  record({ untilEndOfMonthOf: account, beforeIt: fc.boolean() }),
)

const changes: ((facts: Facts) => Partial<Facts>)[] = [
  ({ emails }) => ({ emails: emails.map((email) => ({ ...email, status: 'bounced' })) }),
  ({ emails }) => ({ emails: emails.map((email) => ({ ...email, status: 'verified' })) }),
  ({ last_name }) => ({ last_name: last_name === 'Neumann' ? 'Ågren' : 'Neumann' }),
  () => ({ emails: [], phones: [], profile_url: null }),
  ({ role }) => ({ role: role === 'founder' ? 'finance' : 'founder', seniority: 'executive' }),
]

/** What later moves can refer to. */
export interface Past {
  state: State
  roster: Roster
  reveals: Extract<Act, { act: 'reveal' }>[]
  searches: Extract<Act, { act: 'search' }>[]
}

/** The act of a move; null if there is nothing that it could refer to. */
export function actOf(move: Move, number: number, past: Past): Act | null {
  const { now } = past.state
  switch (move.move) {
    case 'usage':
      return { act: 'usage', key: move.key }
    case 'lookup':
      return { act: 'lookup', key: move.key, shop: move.shop }
    case 'search':
      return { act: 'search', key: move.key, number, query: move.query, limit: move.limit, cursor: null }
    case 'go on': {
      const last = past.searches[move.pick % past.searches.length]
      return last ? { ...last, number, key: move.key ?? last.key, limit: move.limit, cursor: last.number } : null
    }
    case 'reveal':
      return { act: 'reveal', key: move.key, number, people: move.people, idempotencyKey: move.idempotencyKey }
    case 'retry': {
      const first = past.reveals.at(-1 - move.pick)
      if (!first) return null
      const people = move.sameBody
        ? first.people
        : [...first.people].reverse().slice(0, Math.max(1, first.people.length - 1))
      return { ...first, number, key: move.key ?? first.key, people }
    }
    case 'limit':
      return { act: 'set', account: move.account, changes: { limits: { [move.meter]: move.figure } } }
    case 'plan':
    case 'status':
      return {
        act: 'set',
        account: move.account,
        changes: move.move === 'plan' ? { plan: move.plan } : { status: move.status },
      }
    case 'trial': {
      const trialEndsAt = move.days === null ? null : now + move.days * 86_400_000
      return { act: 'set', account: move.account, changes: { trialEndsAt } }
    }
    case 'import': {
      const facts = changes[move.change]!(past.roster.live[move.person]!.facts)
      return { act: 'import', person: move.person, facts }
    }
    case 'erase': {
      // Prefer a person in a kept reply.
      const revealed = move.pick === null ? undefined : past.reveals.at(-1 - move.pick)?.people[0]
      return { act: 'erase', person: revealed?.mode === 'live' ? revealed.person : move.person }
    }
  }
}
