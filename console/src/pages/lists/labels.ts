import type { List, ListKind } from '#api/lists.ts'
import type { Metered } from '#api/metered.ts'
import type { Reply } from '#api/operations.ts'
import { formatCount } from '#lib/format.ts'

export const viewerReason = 'A viewer cannot change lists. Ask an admin of the account.'

/** Singular and plural of a list's items. */
export const nounsOf = (kind: ListKind): [string, string] =>
  kind === 'stores' ? ['store', 'stores'] : ['person', 'people']

/** Such as `12 stores, 3 waiting`. */
export function sizeInWords({ kind, items, pending }: Pick<List, 'kind' | 'items' | 'pending'>): string {
  const size = formatCount(items, ...nounsOf(kind))
  return pending > 0 ? `${size}, ${formatCount(pending, 'domain')} waiting` : size
}

/** The result of adding, in one sentence. */
export function addedInWords(
  { name, kind }: Pick<List, 'name' | 'kind'>,
  { added, already, unknown, rowsCharged = 0 }: Metered<Reply<'addListItems'>>,
): string {
  const parts = [`${formatCount(added, ...nounsOf(kind))} added to “${name}”`]
  if (rowsCharged > 0) parts.push(`${formatCount(rowsCharged, 'search row')} spent`)
  if (already > 0) parts.push(`${formatCount(already, 'was', 'were')} in it already`)
  if (unknown.length > 0) parts.push(`${formatCount(unknown.length, 'value')} not in the catalogue`)
  return `${parts.join(', ')}.`
}
