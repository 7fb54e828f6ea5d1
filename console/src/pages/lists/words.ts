import type { AddListItemsResponses } from '#api/generated/console.ts'
import type { Metered } from '#api/metered.ts'
import { formatCount } from '#lib/format.ts'
import { type List, nounsOf } from './lists-api.ts'

export const viewerReason = 'A viewer cannot change lists. Ask an admin of the account.'

/** Such as `12 stores, 3 waiting`. */
export function sizeInWords({ kind, items, pending }: Pick<List, 'kind' | 'items' | 'pending'>): string {
  const size = formatCount(items, ...nounsOf(kind))
  return pending > 0 ? `${size}, ${formatCount(pending, 'domain')} waiting` : size
}

/** What adding has done. */
export function addedInWords(
  { name, kind }: Pick<List, 'name' | 'kind'>,
  { added, already, unknown, rowsCharged = 0 }: Metered<AddListItemsResponses[200]>,
): string {
  const parts = [`${formatCount(added, ...nounsOf(kind))} added to “${name}”`]
  if (rowsCharged > 0) parts.push(`${formatCount(rowsCharged, 'search row')} spent`)
  if (already > 0) parts.push(`${formatCount(already, 'was', 'were')} in it already`)
  if (unknown.length > 0) parts.push(`${formatCount(unknown.length, 'value')} not in the catalogue`)
  return `${parts.join(', ')}.`
}
