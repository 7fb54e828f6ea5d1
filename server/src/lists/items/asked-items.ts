import { normalizeDomain } from '../../kernel/domain.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { ListsContext } from '../context.ts'
import type { ListItemsRequest, ListKind } from '../schema.ts'
import { findBySearch } from './find-by-search.ts'

/** What a request names, each thing once. */
export interface AskedItems {
  /** Stores or contacts by their keys, with the text that named them; null for a result of a search. */
  keys: Map<number, string | null>
  /** Hosts with the text that named them. */
  hosts: Map<string, string>
  /** Texts that are neither an id of this installation and mode nor a domain. */
  invalid: string[]
}

/** Checks what can be checked without knowing the list. */
export function requireItems({ domains, store_ids, contact_ids, from, max }: ListItemsRequest): void {
  const isNamed = [domains, store_ids, contact_ids].some((names) => names !== undefined)
  if (from !== undefined && isNamed)
    throw new ApiError('invalid_request', 'Give either ids and domains, or from with max.', { param: 'from' })
  if (from !== undefined && max === undefined)
    throw new ApiError('missing_parameter', 'max is required with from.', { param: 'max' })
  if (from === undefined && max !== undefined)
    throw new ApiError('missing_parameter', 'from is required with max.', { param: 'from' })
  if (from === undefined && !isNamed)
    throw new ApiError('missing_parameter', 'Give domains, store_ids, contact_ids, or from with max.', {
      param: 'domains',
    })
}

/** Reads the items of a request for a list of this kind. A search is run here; it costs nothing. */
export async function readAskedItems(
  ctx: ListsContext,
  kind: ListKind,
  request: ListItemsRequest,
): Promise<AskedItems> {
  const { domains, store_ids, contact_ids, from, max } = request
  refuseOtherKind(kind, request)
  if (from !== undefined && max !== undefined) {
    const found = await findBySearch(ctx, kind, from, max)
    return { keys: new Map(found.map((key) => [key, null])), hosts: new Map(), invalid: [] }
  }
  const invalid = new Set<string>()
  const keys = new Map<number, string | null>()
  const texts = (kind === 'stores' ? store_ids : contact_ids) ?? []
  const opened = ctx.ids.openMany(kind === 'stores' ? 'store' : 'contact', texts, ctx.caller.mode)
  for (const [index, key] of opened.entries()) {
    if (key === null) invalid.add(texts[index]!)
    else if (!keys.has(key)) keys.set(key, texts[index]!)
  }
  const hosts = new Map<string, string>()
  for (const text of domains ?? []) {
    const host = normalizeDomain(text)
    if (host === null) invalid.add(text)
    else if (!hosts.has(host)) hosts.set(host, text)
  }
  return { keys, hosts, invalid: [...invalid] }
}

function refuseOtherKind(kind: ListKind, request: ListItemsRequest): void {
  const wrong = kind === 'stores' ? (['contact_ids'] as const) : (['domains', 'store_ids'] as const)
  const given = wrong.find((name) => request[name] !== undefined)
  if (given === undefined) return
  const fitting = kind === 'stores' ? 'domains and store_ids' : 'contact_ids'
  throw new ApiError('invalid_request', `This is a list of ${kind}; it takes ${fitting}.`, { param: given })
}
