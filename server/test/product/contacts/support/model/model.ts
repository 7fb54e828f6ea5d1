import { isDeepStrictEqual } from 'node:util'
import type { PlanFile } from '../../../../../src/customers/accounts/plans.ts'
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
import { changeGrant, type Entitlement, entitlementOf, type Grant, type GrantChanges } from './entitlement.ts'
import type { CallerKey, Counts, Reply } from './replies.ts'
import * as replies from './replies.ts'

/**
 * The rules of searches, reveals and their costs, in memory. A request is a sequence of atomic stages: it is admitted and
 * counted, it searches, it pays and gets its reply; a refusal for lack of search rows is uncounted in a further stage.
 * Concurrent requests interleave between stages only.
 */
export interface State {
  now: number
  accounts: { grant: Grant; activity: Record<Mode, AccountActivity> }[]
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

type Meter = 'contact_credits' | 'store_exports' | 'search_rows'

/** What one account has used and revealed in one mode. */
export interface AccountActivity {
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

/** What never changes in a run. */
export interface Setting {
  plans: PlanFile
  keys: readonly CallerKey[]
}

export type Search =
  | { path: '/stores/search'; filter: StoreFilter }
  | { path: '/contacts/search'; filter: PersonFilter; shops: number[]; perShop: number }

/** An action of a caller or the operator. `number` is its index in the run; people and shops are of the caller's mode. */
export type Act =
  | { act: 'usage'; key: number }
  | { act: 'lookup'; key: number; shop: number | null }
  | { act: 'search'; key: number; number: number; query: Search; limit: number; cursor: number | null }
  | { act: 'reveal'; key: number; number: number; people: Wanted[]; idempotencyKey: string | null }
  | { act: 'set'; account: number; changes: GrantChanges }
  | { act: 'import'; person: number; facts: Partial<Facts> }
  | { act: 'erase'; person: number }

/** The id of a person; ids of the other mode are unknown to the key. */
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

/** What a search found, with the replies as of that time. */
interface Found {
  /** The exports left at that time. */
  exportsLeft: number
  items: { index: number; shop: number; reply: object }[]
  hasMore: boolean
}

type Outcome = { stage: Stage } | { replies: Reply[] }

/** Copies a state. Catalogues are shared: they are replaced, never changed. */
export function copyOf({ catalogues, ...state }: State): State {
  return { ...structuredClone(state), catalogues }
}

const minuteMs = 60_000
const dayMs = 86_400_000

/** Performs one stage of an act on `state`. */
export function advance(state: State, setting: Setting, act: Act, stage: Stage): Outcome {
  if (act.act === 'set' || act.act === 'import' || act.act === 'erase') return { replies: [applyOperation(state, act)] }
  const key = setting.keys[act.key]!
  const account = state.accounts[key.account]!
  const activity = account.activity[key.mode]
  switch (stage.at) {
    case 'start':
      return admitRequest(state, activity, entitlementOf(account.grant, setting.plans, state.now))
    case 'inside':
      if (act.act === 'usage')
        return { replies: [replies.usage(stage.entitlement, countsOf(activity, stage.entitlement, state.now), key)] }
      return find(state, key, act, stage)
    case 'paying':
      if (act.act === 'reveal') return payForReveal(state, key, activity, act, stage)
      return payForDelivery(state, key, activity, act as Delivering, stage)
    case 'refused':
      activity.minute.used = Math.max(0, activity.minute.used - 1)
      activity.day.used = Math.max(0, activity.day.used - 1)
      return { replies: [stage.reply] }
  }
}

type Delivering = Extract<Act, { act: 'lookup' | 'search' }>

function applyOperation(state: State, act: Extract<Act, { act: 'set' | 'import' | 'erase' }>): Reply {
  if (act.act === 'set') {
    const account = state.accounts[act.account]!
    const grant = changeGrant(account.grant, act.changes, state.now)
    if (grant) account.grant = grant
    return { status: grant ? 'done' : 'refused' }
  }
  const { live } = state.catalogues
  const person = live.people[act.person]!
  if (person.isErased) return { status: 'refused' }
  const changed =
    act.act === 'import' ? { ...person, facts: { ...person.facts, ...act.facts } } : { ...person, isErased: true }
  state.catalogues = { ...state.catalogues, live: { ...live, people: live.people.with(act.person, changed) } }
  if (act.act === 'erase')
    for (const { activity } of state.accounts)
      for (const [name, { people }] of Object.entries(activity.live.kept))
        if (people.includes(act.person)) delete activity.live.kept[name]
  return { status: 'done' }
}

function admitRequest(state: State, activity: AccountActivity, entitlement: Entitlement): Outcome {
  const { now } = state
  const { limits } = entitlement
  const minute = now < activity.minute.start + minuteMs ? { ...activity.minute } : { start: now, used: 0 }
  const day = now < activity.day.start + dayMs ? { ...activity.day } : { start: now - (now % dayMs), used: 0 }
  const refusals: Reply[] = []
  if (minute.used >= limits.requests_per_minute)
    refusals.push(replies.limitReached('requests_per_minute', minute.start + minuteMs - now))
  if (day.used >= limits.requests_per_day)
    refusals.push(replies.limitReached('requests_per_day', day.start + dayMs - now))
  if (refusals.length > 0) return { replies: refusals }
  if (!entitlement.isOpen) return { replies: [replies.accessClosed()] }
  activity.minute = { ...minute, used: minute.used + 1 }
  activity.day = { ...day, used: day.used + 1 }
  return { stage: { at: 'inside', entitlement, rowsLeft: left(activity, entitlement, 'search_rows') } }
}

function find(
  state: State,
  { account, mode }: CallerKey,
  act: Delivering | Extract<Act, { act: 'reveal' }>,
  { entitlement, rowsLeft }: Extract<Stage, { at: 'inside' }>,
): Outcome {
  const catalogue = state.catalogues[mode]
  const activity = state.accounts[account]!.activity[mode]
  const found = (items: Found['items'], hasMore = false): Outcome => ({
    stage: {
      at: 'paying',
      entitlement,
      found: { items, hasMore, exportsLeft: left(activity, entitlement, 'store_exports') },
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
    return { index, shop: person.shop, reply: previewReply(catalogue, person, activity.revealed[index] !== undefined) }
  })
  return found(items.slice(0, act.limit), items.length > act.limit)
}

function payForDelivery(
  state: State,
  { account, mode }: CallerKey,
  activity: AccountActivity,
  act: Delivering,
  { entitlement, found }: Extract<Stage, { at: 'paying' }>,
): Outcome {
  const rows = act.act === 'search' ? found.items.length : 0
  if (rows > left(activity, entitlement, 'search_rows')) return refuseRows(entitlement, state.now)
  const possibleExportsLeft = exportFound(activity, entitlement, found)
  if (possibleExportsLeft === null) return refuseExports(entitlement, state.now)
  spend(activity, entitlement, 'search_rows', rows)
  if (act.act === 'lookup')
    return { replies: possibleExportsLeft.map((exportsLeft) => replies.store(found.items[0]!.reply, exportsLeft)) }
  const last = found.items.at(-1)
  if (found.hasMore) state.cursors[act.number] = { account, mode, query: act.query, last: last!.index, at: state.now }
  const rowsLeft = left(activity, entitlement, 'search_rows')
  // The server may read the revealed flags when it searches or when it charges.
  const early = found.items.map(({ reply }) => reply)
  const late = act.query.path === '/stores/search' ? early : found.items.map((item) => withFlag(item, activity))
  const pages = (exportsLeft: number) =>
    [early, late].map((data) => replies.page(data, found.hasMore, exportsLeft, rowsLeft))
  return { replies: possibleExportsLeft.flatMap(pages) }
}

function payForReveal(
  state: State,
  { mode }: CallerKey,
  activity: AccountActivity,
  act: Extract<Act, { act: 'reveal' }>,
  { entitlement, found }: Extract<Stage, { at: 'paying' }>,
): Outcome {
  const request = act.people.map(({ person, mode: of }) => (of === 'live' ? person : -1 - person))
  const kept = act.idempotencyKey === null ? undefined : activity.kept[act.idempotencyKey]
  if (kept && state.now - kept.at < dayMs) {
    if (!isDeepStrictEqual(kept.request, request)) return { replies: [replies.idempotencyConflict()] }
    return { replies: [{ status: 200, replayOf: kept.number }] }
  }
  if (found.items.length === 0) return { replies: [replies.notFound('no_revealable_contacts')] }
  // No erasure comes between finding a person and keeping the reply, because the kept reply would outlive the person.
  const { people } = state.catalogues[mode]
  if (act.idempotencyKey !== null && found.items.some(({ index }) => people[index]!.isErased)) return { replies: [] }
  const fresh = found.items.filter(({ index }) => activity.revealed[index] === undefined)
  const lacksCredits = fresh.length > 0 && fresh.length > left(activity, entitlement, 'contact_credits')
  if (lacksCredits) return { replies: [replies.insufficientCredits(entitlement)] }
  const possibleExportsLeft = exportFound(activity, entitlement, found)
  if (possibleExportsLeft === null) return refuseExports(entitlement, state.now)
  spend(activity, entitlement, 'contact_credits', fresh.length)
  for (const { index } of fresh) activity.revealed[index] = state.now
  const data = found.items.map((item) => {
    const isNew = fresh.includes(item)
    return {
      ...item.reply,
      reveal_status: isNew ? 'newly_revealed' : 'already_revealed',
      charged: isNew,
      revealed_at: replies.moment(activity.revealed[item.index]!),
    }
  })
  if (act.idempotencyKey !== null)
    activity.kept[act.idempotencyKey] = {
      request,
      at: state.now,
      number: act.number,
      people: mode === 'live' ? found.items.map(({ index }) => index) : [],
    }
  const creditsLeft = left(activity, entitlement, 'contact_credits')
  return {
    replies: possibleExportsLeft.map((exportsLeft) => replies.reveal(data, fresh.length, creditsLeft, exportsLeft)),
  }
}

const exportFound = (activity: AccountActivity, entitlement: Entitlement, { items, exportsLeft }: Found) =>
  exportShops(
    activity,
    entitlement,
    items.map(({ shop }) => shop),
    exportsLeft,
  )

const withFlag = ({ index, reply }: Found['items'][number], { revealed }: AccountActivity) => ({
  ...reply,
  revealed: revealed[index] !== undefined,
})

function refuseRows({ period }: Entitlement, now: number): Outcome {
  return { stage: { at: 'refused', reply: replies.limitReached('search_rows', period.end - now) } }
}

/** The request stays counted, as its work was done. */
function refuseExports({ period }: Entitlement, now: number): Outcome {
  return { replies: [replies.limitReached('store_exports', period.end - now)] }
}

export function noActivity(): AccountActivity {
  const past = { start: 0, used: 0 }
  return { minute: past, day: past, used: {}, exported: {}, revealed: {}, kept: {} }
}

const slotOf = (meter: Meter, { period, creditsPeriod }: Entitlement) =>
  `${meter} ${meter === 'contact_credits' ? creditsPeriod.start : period.start}`

const usedOf = (activity: AccountActivity, entitlement: Entitlement, meter: Meter) =>
  activity.used[slotOf(meter, entitlement)] ?? 0

function left(activity: AccountActivity, entitlement: Entitlement, meter: Meter): number {
  return Math.max(0, entitlement.limits[meter] - usedOf(activity, entitlement, meter))
}

function spend(activity: AccountActivity, entitlement: Entitlement, meter: Meter, amount: number): void {
  if (amount > 0) activity.used[slotOf(meter, entitlement)] = usedOf(activity, entitlement, meter) + amount
}

/**
 * Exports the shops and returns the numbers of exports left that the reply may report: the current one and, if nothing was
 * exported, the one when it was found. Null, without a change, if the new shops exceed the exports left.
 */
function exportShops(
  activity: AccountActivity,
  entitlement: Entitlement,
  shops: readonly number[],
  exportsLeft: number,
): number[] | null {
  const exported = activity.exported[entitlement.period.start] ?? []
  const fresh = [...new Set(shops)].filter((shop) => !exported.includes(shop))
  if (fresh.length > left(activity, entitlement, 'store_exports')) return null
  activity.exported[entitlement.period.start] = [...exported, ...fresh].sort()
  spend(activity, entitlement, 'store_exports', fresh.length)
  const leftNow = left(activity, entitlement, 'store_exports')
  return fresh.length > 0 ? [leftNow] : [leftNow, exportsLeft]
}

function countsOf(activity: AccountActivity, entitlement: Entitlement, now: number): Counts {
  return {
    credits: usedOf(activity, entitlement, 'contact_credits'),
    exports: usedOf(activity, entitlement, 'store_exports'),
    rows: usedOf(activity, entitlement, 'search_rows'),
    requests: activity.day.used,
    dayStart: now - (now % dayMs),
  }
}
