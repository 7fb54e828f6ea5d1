import type { ItemsToAdd } from './lists-api.ts'

/** The most that a list takes from a search at once. */
const max = 10_000

/** The results of a search from its beginning, whatever page is shown. */
export function itemsOfSearch(
  body: NonNullable<ItemsToAdd['from']> & { limit?: number; cursor?: string | null },
): ItemsToAdd {
  const { limit: _limit, cursor: _cursor, ...from } = body
  return { from, max }
}
