import { isDeepStrictEqual } from 'node:util'
import { type Books, dayMs, exportShops, left, spend } from './books.ts'
import type { Act, CallerKey, Delivering, Found, Outcome, Stage, State } from './model.ts'
import * as replies from './replies.ts'
import type { Entitlement } from './entitlement.ts'

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
