import type { ListItems } from './lists-api.ts'

/** The most that a list takes from a search at once. */
const max = 10_000

/** The results of a search from its beginning, whatever page is shown. */
export function itemsOfSearch(
  body: NonNullable<ListItems['from']> & { limit?: number; cursor?: string | null },
): ListItems {
  const { limit: _limit, cursor: _cursor, ...from } = body
  return { from, max }
}
