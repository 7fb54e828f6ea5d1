import { isDeepStrictEqual } from 'node:util'
import type { PlanFile } from '../../../src/accounts/plans.ts'
import {
  type Catalogue,
  contactReply,
  type Facts,
  findPeople,
  findShops,
  isRevealable,
  type Mode,
  type PersonFilter,
  previewReply,
  type StoreFilter,
  storeReply,
} from './catalogue.ts'
import { changeTerms, type Entitlement, entitlementOf, type Terms, type TermsChanges } from './entitlement.ts'
import type { CallerKey, Counts, Reply } from './replies.ts'
import * as replies from './replies.ts'

/**
 * The rules of previews, reveals and what they cost, kept in memory. A request is a few instants, each of them whole:
 * it is let in (and counted) by what the account was granted then, it finds, it pays and is answered; one that the search
 * rows refuse is taken out of the count again. Between two instants of a request others may pass, and nothing else.
 */
export interface State {
  now: number
  accounts: { terms: Terms; books: Record<Mode, Books> }[]
  catalogues: Record<Mode, Catalogue>
  /** By the number of the request whose reply carried it. */
  cursors: Record<number, Cursor>
}

interface Cursor {
  account: number
  mode: Mode
  query: object
  /** The last shop or person of the page. */
  last: number
  at: number
}

/** What never changes in a run. */
export interface Setting {
  plans: PlanFile
  keys: readonly CallerKey[]
}

export type Search =
  | { path: '/stores/search'; filter: StoreFilter }
  | { path: '/contacts/search'; filter: PersonFilter; shops: number[]; perShop: number }

/** What callers and the operator do. `number` is the place in the run; people and shops are those of the caller's mode. */
export type Act =
  | { act: 'usage'; key: number }
  | { act: 'lookup'; key: number; shop: number | null }
  | { act: 'search'; key: number; number: number; query: Search; limit: number; cursor: number | null }
  | { act: 'reveal'; key: number; number: number; people: Wanted[]; idempotencyKey: string | null }
  | { act: 'set'; account: number; changes: TermsChanges }
  | { act: 'import'; person: number; facts: Partial<Facts> }
  | { act: 'erase'; person: number }

/** A person of a mode; of the other one than the key's, nobody knows the id. */
export interface Wanted {
  mode: Mode
  person: number
}

/** How far a request has come. */
export type Stage =
  | { at: 'start' }
  | { at: 'inside'; entitlement: Entitlement; rowsLeft: number }
  | { at: 'paying'; entitlement: Entitlement; found: Found }
  | { at: 'refused'; reply: Reply }

/** Replies of people are kept as they were found, flags and facts included. */
export interface Found {
  /** The exports left when it was found. */
  exportsLeft: number
  items: { index: number; shop: number; reply: object }[]
  hasMore: boolean
}

export type Outcome = { stage: Stage } | { replies: Reply[] }

/** A copy to go on from. Catalogues are never changed, only replaced. */
export function copyOf({ catalogues, ...state }: State): State {
  return { ...structuredClone(state), catalogues }
}

/** Lets one instant of an act pass; changes the state it is given. */
export function pass(state: State, setting: Setting, act: Act, stage: Stage): Outcome {
  if (act.act === 'set' || act.act === 'import' || act.act === 'erase') return { replies: [operate(state, act)] }
  const key = setting.keys[act.key]!
  const account = state.accounts[key.account]!
  const books = account.books[key.mode]
  switch (stage.at) {
    case 'start':
      return letIn(state, books, entitlementOf(account.terms, setting.plans, state.now))
    case 'inside':
      if (act.act === 'usage')
        return { replies: [replies.usage(stage.entitlement, countsOf(books, stage.entitlement, state.now), key)] }
      return find(state, key, act, stage)
    case 'paying':
      if (act.act === 'reveal') return payForReveal(state, key, books, act, stage)
      return payForDelivery(state, key, books, act as Delivering, stage)
    case 'refused':
      books.minute.used = Math.max(0, books.minute.used - 1)
      books.day.used = Math.max(0, books.day.used - 1)
      return { replies: [stage.reply] }
  }
}

export type Delivering = Extract<Act, { act: 'lookup' | 'search' }>

function operate(state: State, act: Extract<Act, { act: 'set' | 'import' | 'erase' }>): Reply {
  if (act.act === 'set') {
    const account = state.accounts[act.account]!
    const terms = changeTerms(account.terms, act.changes, state.now)
    if (terms) account.terms = terms
    return { status: terms ? 'done' : 'refused' }
  }
  const { live } = state.catalogues
  const person = live.people[act.person]!
  if (person.isErased) return { status: 'refused' }
  const changed =
    act.act === 'import' ? { ...person, facts: { ...person.facts, ...act.facts } } : { ...person, isErased: true }
  state.catalogues = { ...state.catalogues, live: { ...live, people: live.people.with(act.person, changed) } }
  if (act.act === 'erase')
    for (const { books } of state.accounts)
      for (const [name, { people }] of Object.entries(books.live.kept))
        if (people.includes(act.person)) delete books.live.kept[name]
  return { status: 'done' }
}

const minuteMs = 60_000

function letIn(state: State, books: Books, entitlement: Entitlement): Outcome {
  const { now } = state
  const { limits } = entitlement
  const minute = now < books.minute.start + minuteMs ? { ...books.minute } : { start: now, used: 0 }
  const day = now < books.day.start + dayMs ? { ...books.day } : { start: now - (now % dayMs), used: 0 }
  const refusals: Reply[] = []
  if (minute.used >= limits.requests_per_minute)
    refusals.push(replies.limitReached('requests_per_minute', minute.start + minuteMs - now))
  if (day.used >= limits.requests_per_day)
    refusals.push(replies.limitReached('requests_per_day', day.start + dayMs - now))
  if (refusals.length > 0) return { replies: refusals }
  if (!entitlement.isOpen) return { replies: [replies.accessClosed()] }
  books.minute = { ...minute, used: minute.used + 1 }
  books.day = { ...day, used: day.used + 1 }
  return { stage: { at: 'inside', entitlement, rowsLeft: left(books, entitlement, 'search_rows') } }
}

function find(
  state: State,
  { account, mode }: CallerKey,
  act: Delivering | Extract<Act, { act: 'reveal' }>,
  { entitlement, rowsLeft }: Extract<Stage, { at: 'inside' }>,
): Outcome {
  const catalogue = state.catalogues[mode]
  const books = state.accounts[account]!.books[mode]
  const found = (items: Found['items'], hasMore = false): Outcome => ({
    stage: {
      at: 'paying',
      entitlement,
      found: { items, hasMore, exportsLeft: left(books, entitlement, 'store_exports') },
    },
  })
  if (act.act === 'lookup') {
    if (act.shop === null) return { replies: [replies.notFound('store_not_found')] }
    return found([{ index: act.shop, shop: act.shop, reply: storeReply(catalogue, act.shop) }])
  }
  if (act.act === 'reveal') {
    const known = act.people.filter((wanted) => wanted.mode === mode).map(({ person }) => person)
    return found(
      [...new Set(known)]
        .filter((index) => isRevealable(catalogue.people[index]!))
        .map((index) => {
          const person = catalogue.people[index]!
          return { index, shop: person.shop, reply: contactReply(catalogue, person) }
        }),
    )
  }
  let last: number | null = null
  if (act.cursor !== null) {
    const cursor = state.cursors[act.cursor]!
    const isOwn = cursor.account === account && cursor.mode === mode && isDeepStrictEqual(cursor.query, act.query)
    if (!isOwn || state.now - cursor.at > dayMs) return { replies: [replies.invalidCursor()] }
    last = cursor.last
  }
  if (act.limit > rowsLeft) return refuseRows(entitlement, state.now)
  if (act.query.path === '/stores/search') {
    const shops = findShops(catalogue, act.query.filter, last ?? -1)
    const items = shops.map((shop) => ({ index: shop, shop, reply: storeReply(catalogue, shop) }))
    return found(items.slice(0, act.limit), items.length > act.limit)
  }
  const all = findPeople(catalogue, act.query.filter, act.query.shops, act.query.perShop)
  const rest = last === null ? all : all.slice(all.indexOf(last) + 1)
  const items = rest.map((index) => {
    const person = catalogue.people[index]!
    return { index, shop: person.shop, reply: previewReply(catalogue, person, books.revealed[index] !== undefined) }
  })
  return found(items.slice(0, act.limit), items.length > act.limit)
}

export function payForDelivery(
  state: State,
  { account, mode }: CallerKey,
  books: Books,
  act: Delivering,
  { entitlement, found }: Extract<Stage, { at: 'paying' }>,
): Outcome {
  const rows = act.act === 'search' ? found.items.length : 0
  if (rows > left(books, entitlement, 'search_rows')) return refuseRows(entitlement, state.now)
  const exportsTold = exportFound(books, entitlement, found)
  if (exportsTold === null) return refuseExports(entitlement, state.now)
  spend(books, entitlement, 'search_rows', rows)
  if (act.act === 'lookup') return { replies: exportsTold.map((told) => replies.store(found.items[0]!.reply, told)) }
  const last = found.items.at(-1)
  if (found.hasMore) state.cursors[act.number] = { account, mode, query: act.query, last: last!.index, at: state.now }
  const rowsLeft = left(books, entitlement, 'search_rows')
  // Whether somebody is revealed may be looked up when the page is found or when it is paid for.
  const early = found.items.map(({ reply }) => reply)
  const late = act.query.path === '/stores/search' ? early : found.items.map((item) => withFlag(item, books))
  const pages = (told: number) => [early, late].map((data) => replies.page(data, found.hasMore, told, rowsLeft))
  return { replies: exportsTold.flatMap(pages) }
}

export function payForReveal(
  state: State,
  { mode }: CallerKey,
  books: Books,
  act: Extract<Act, { act: 'reveal' }>,
  { entitlement, found }: Extract<Stage, { at: 'paying' }>,
): Outcome {
  const request = act.people.map(({ person, mode: of }) => (of === 'live' ? person : -1 - person))
  const kept = act.idempotencyKey === null ? undefined : books.kept[act.idempotencyKey]
  if (kept && state.now - kept.at < dayMs) {
    if (!isDeepStrictEqual(kept.request, request)) return { replies: [replies.idempotencyConflict()] }
    return { replies: [{ status: 200, replayOf: kept.number }] }
  }
  if (found.items.length === 0) return { replies: [replies.notFound('no_revealable_contacts')] }
  // Nobody is erased between being found and being kept in a reply: what is kept would outlive the person.
  const { people } = state.catalogues[mode]
  if (act.idempotencyKey !== null && found.items.some(({ index }) => people[index]!.isErased)) return { replies: [] }
  const fresh = found.items.filter(({ index }) => books.revealed[index] === undefined)
  const lacksCredits = fresh.length > 0 && fresh.length > left(books, entitlement, 'contact_credits')
  if (lacksCredits) return { replies: [replies.creditsLacking(entitlement)] }
  const exportsTold = exportFound(books, entitlement, found)
  if (exportsTold === null) return refuseExports(entitlement, state.now)
  spend(books, entitlement, 'contact_credits', fresh.length)
  for (const { index } of fresh) books.revealed[index] = state.now
  const data = found.items.map((item) => {
    const isNew = fresh.includes(item)
    return {
      ...item.reply,
      reveal_status: isNew ? 'newly_revealed' : 'already_revealed',
      charged: isNew,
      revealed_at: replies.moment(books.revealed[item.index]!),
    }
  })
  if (act.idempotencyKey !== null)
    books.kept[act.idempotencyKey] = {
      request,
      at: state.now,
      number: act.number,
      people: mode === 'live' ? found.items.map(({ index }) => index) : [],
    }
  const creditsLeft = left(books, entitlement, 'contact_credits')
  return { replies: exportsTold.map((told) => replies.reveal(data, fresh.length, creditsLeft, told)) }
}

const exportFound = (books: Books, entitlement: Entitlement, { items, exportsLeft }: Found) =>
  exportShops(
    books,
    entitlement,
    items.map(({ shop }) => shop),
    exportsLeft,
  )

const withFlag = ({ index, reply }: Found['items'][number], { revealed }: Books) => ({
  ...reply,
  revealed: revealed[index] !== undefined,
})

export function refuseRows({ period }: Entitlement, now: number): Outcome {
  return { stage: { at: 'refused', reply: replies.limitReached('search_rows', period.end - now) } }
}

/** Found after the work was done: the request stays counted. */
function refuseExports({ period }: Entitlement, now: number): Outcome {
  return { replies: [replies.limitReached('store_exports', period.end - now)] }
}

type Meter = 'contact_credits' | 'store_exports' | 'search_rows'

/** What one account did in one mode. */
export interface Books {
  minute: { start: number; used: number }
  day: { start: number; used: number }
  /** By meter and start of the period. */
  used: Record<string, number>
  /** Shops by start of the period. */
  exported: Record<number, number[]>
  /** When each person was revealed. */
  revealed: Record<number, number>
  /** Replies by Idempotency-Key. */
  kept: Record<string, { request: number[]; at: number; number: number; people: number[] }>
}

export const dayMs = 86_400_000

export function newBooks(): Books {
  const past = { start: 0, used: 0 }
  return { minute: past, day: past, used: {}, exported: {}, revealed: {}, kept: {} }
}

const slotOf = (meter: Meter, { period, creditsPeriod }: Entitlement) =>
  `${meter} ${meter === 'contact_credits' ? creditsPeriod.start : period.start}`

const usedOf = (books: Books, entitlement: Entitlement, meter: Meter) => books.used[slotOf(meter, entitlement)] ?? 0

export function left(books: Books, entitlement: Entitlement, meter: Meter): number {
  return Math.max(0, entitlement.limits[meter] - usedOf(books, entitlement, meter))
}

export function spend(books: Books, entitlement: Entitlement, meter: Meter, amount: number): void {
  if (amount > 0) books.used[slotOf(meter, entitlement)] = usedOf(books, entitlement, meter) + amount
}

/**
 * Marks the shops delivered, and says what the reply may tell of the exports left: what is left now, or where nothing was
 * exported what was left a moment before. Null, and nothing happened, where the new shops do not fit.
 */
export function exportShops(
  books: Books,
  entitlement: Entitlement,
  shops: readonly number[],
  exportsLeft: number,
): number[] | null {
  const exported = books.exported[entitlement.period.start] ?? []
  const fresh = [...new Set(shops)].filter((shop) => !exported.includes(shop))
  if (fresh.length > left(books, entitlement, 'store_exports')) return null
  books.exported[entitlement.period.start] = [...exported, ...fresh].sort()
  spend(books, entitlement, 'store_exports', fresh.length)
  const leftNow = left(books, entitlement, 'store_exports')
  return fresh.length > 0 ? [leftNow] : [leftNow, exportsLeft]
}

export function countsOf(books: Books, entitlement: Entitlement, now: number): Counts {
  return {
    credits: usedOf(books, entitlement, 'contact_credits'),
    exports: usedOf(books, entitlement, 'store_exports'),
    rows: usedOf(books, entitlement, 'search_rows'),
    requests: books.day.used,
    dayStart: now - (now % dayMs),
  }
}
