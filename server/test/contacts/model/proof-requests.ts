import type { Act, Search, State } from './model.ts'
import type { Seen } from './proof-order.ts'
import type { Place } from './proof-roster.ts'

interface Request {
  path: string
  body?: object
  idempotencyKey?: string | null
}

type Call = Exclude<Act, { act: 'set' | 'import' | 'erase' }>

/** What a caller sends. */
export function requestOf(
  act: Call,
  catalogues: State['catalogues'],
  place: Place,
  cursors: ReadonlyMap<number, string>,
): Request {
  switch (act.act) {
    case 'usage':
      return { path: '/usage' }
    case 'lookup':
      return { path: `/stores/${act.shop === null ? 'nobody.example' : catalogues.live.shops[act.shop]!.domain}` }
    case 'search': {
      const cursor = act.cursor === null ? null : cursors.get(act.cursor)!
      return { path: act.query.path, body: { ...filtersOf(act.query, catalogues, place), limit: act.limit, cursor } }
    }
    case 'reveal': {
      const contact_ids = act.people.map(({ mode, person }) => catalogues[mode].people[person]!.id)
      return { path: '/contacts/reveal', body: { contact_ids }, idempotencyKey: act.idempotencyKey }
    }
  }
}

/** Whatever a run asks, it stays among its own shops. */
function filtersOf(query: Search, { live: { shops } }: State['catalogues'], place: Place) {
  const here = {
    countries: [place.country],
    traffic_tiers: [place.traffic_tier],
    revenue_tiers: [place.revenue_tier],
  }
  if (query.path === '/stores/search') return { filters: { ...here, contacts: query.filter } }
  const domains = query.shops.map((shop) => shops[shop]!.domain)
  const store = query.shops.length === shops.length ? here : { domains }
  return { person: query.filter, store, max_contacts_per_store: query.perShop }
}

const comparedHeaders = ['x-contact-credits-remaining', 'x-store-exports-remaining', 'x-search-rows-remaining']

/** Sends it, and reads the reply as far as the model decides it. */
export async function send(url: string, secret: string, { path, body, idempotencyKey }: Request): Promise<Seen> {
  const response = await fetch(`${url}/api/v1${path}`, {
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    headers: {
      authorization: `Bearer ${secret}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
    },
  })
  const text = await response.text()
  const isReplay = response.headers.has('idempotent-replayed')
  const kept = isReplay ? ['idempotent-replayed'] : response.ok ? comparedHeaders : ['retry-after']
  const headers = kept.flatMap((name) => {
    const value = response.headers.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  const requestId = response.headers.get('x-request-id')
  const { request_id: told, error, ...rest } = JSON.parse(text)
  if (!isReplay && (told ?? error.request_id) !== requestId)
    throw new Error(`another request_id than ${requestId}: ${text}`)
  return {
    status: response.status,
    headers: Object.fromEntries(headers),
    body: comparable(response.status, rest, error),
    text,
  }
}

/** A body without what is not decided: sentences, links, and the text of a cursor. */
function comparable(status: number, body: Record<string, unknown>, error?: Record<string, unknown>) {
  const withPlainLink = (part: Record<string, unknown>): Record<string, unknown> =>
    part.billing ? { ...part, billing: { ...(part.billing as object), url: 'a link' } } : part
  if (error) {
    const { message: _, request_id: __, param, ...decided } = error
    const isParamDecided = param !== undefined && status !== 404 && status !== 409
    return { error: withPlainLink(isParamDecided ? { ...decided, param } : decided) }
  }
  return withPlainLink(typeof body.next_cursor === 'string' ? { ...body, next_cursor: 'a cursor' } : body)
}
