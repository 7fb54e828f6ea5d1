import { Refusal } from '../../../foundation/kernel/errors.ts'
import { contactIdPattern } from '../../delivery/contact-preview.ts'
import { parseHosts } from '../../delivery/paid-reply.ts'
import { storeIdPattern } from '../../delivery/store-document.ts'
import type { ListsContext } from '../context.ts'
import type { ListItemsRequest, ListKind } from '../schema.ts'
import { openListSearch } from './find-by-search.ts'

/** The items of a request, without repetitions. */
export interface AskedItems {
  /** Stores or contacts by their keys, with the text that named them; null for a result of a search. */
  keys: Map<number, string | null>
  /** Hosts in their normal form. */
  hosts: string[]
  /** Well-formed ids that are not of this installation and mode. */
  foreign: string[]
}

/** Checks what can be checked without knowing the list. */
export function requireItems({ domains, store_ids, contact_ids, from, max }: ListItemsRequest): void {
  const isNamed = [domains, store_ids, contact_ids].some((names) => names !== undefined)
  if (from !== undefined && isNamed)
    throw new Refusal('invalid_request', 'Give either ids and domains, or from with max.', { param: 'from' })
  if (from !== undefined && max === undefined)
    throw new Refusal('missing_parameter', 'max is required with from.', { param: 'max' })
  if (from === undefined && max !== undefined)
    throw new Refusal('missing_parameter', 'from is required with max.', { param: 'from' })
  if (from === undefined && !isNamed)
    throw new Refusal('missing_parameter', 'Give domains, store_ids, contact_ids, or from with max.', {
      param: 'domains',
    })
}

/** Reads the items of a request for a list of this kind. A search is run here; what it finds is not charged yet. */
export async function readAskedItems(
  ctx: ListsContext,
  kind: ListKind,
  request: ListItemsRequest,
): Promise<AskedItems> {
  const { domains, store_ids, contact_ids, from, max } = request
  refuseOtherKind(kind, request)
  if (from !== undefined && max !== undefined) {
    const find = await openListSearch(ctx, kind, from)
    const found = await find(max)
    return { keys: new Map(found.map((key) => [key, null])), hosts: [], foreign: [] }
  }
  const foreign = new Set<string>()
  const keys = new Map<number, string | null>()
  const texts = (kind === 'stores' ? store_ids : contact_ids) ?? []
  requireIds(kind, texts)
  const opened = ctx.ids.openMany(kind === 'stores' ? 'store' : 'contact', texts, ctx.caller.mode)
  for (const [index, key] of opened.entries()) {
    if (key === null) foreign.add(texts[index]!)
    else if (!keys.has(key)) keys.set(key, texts[index]!)
  }
  return { keys, hosts: parseHosts(domains ?? [], 'domains'), foreign: [...foreign] }
}

const idRules = {
  stores: {
    name: 'store_ids',
    code: 'invalid_store_id',
    pattern: new RegExp(storeIdPattern),
    what: 'a store',
    prefix: 'st_',
  },
  contacts: {
    name: 'contact_ids',
    code: 'invalid_contact_id',
    pattern: new RegExp(contactIdPattern),
    what: 'a contact',
    prefix: 'ct_',
  },
} as const

/** Refuses texts that can be no id, naming the place of each. */
function requireIds(kind: ListKind, texts: readonly string[]): void {
  const { name, code, pattern, what, prefix } = idRules[kind]
  const places = texts.flatMap((text, index) => (pattern.test(text) ? [] : [`${name}[${index}]`]))
  if (places.length === 0) return
  const more = places.length > maxPlaces ? ` and ${places.length - maxPlaces} more` : ''
  const verb = places.length === 1 ? 'is not the id' : 'are not ids'
  throw new Refusal(
    code,
    `${places.slice(0, maxPlaces).join(', ')}${more} ${verb} of ${what}: ${prefix}live_ or ${prefix}test_ and 16 letters.`,
    { param: places[0]! },
  )
}

/** A request can name 1,000 ids; its error stays short. */
const maxPlaces = 10

function refuseOtherKind(kind: ListKind, request: ListItemsRequest): void {
  const wrong = kind === 'stores' ? (['contact_ids'] as const) : (['domains', 'store_ids'] as const)
  const given = wrong.find((name) => request[name] !== undefined)
  if (given === undefined) return
  const fitting = kind === 'stores' ? 'domains and store_ids' : 'contact_ids'
  throw new Refusal('invalid_request', `This is a list of ${kind}; it takes ${fitting}.`, { param: given })
}
