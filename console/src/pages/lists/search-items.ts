import type { ItemsToAdd } from '#api/lists.ts'

/** A search whose first results are added, at a search row each; how many is chosen in the dialog. */
export interface SearchToAdd {
  from: NonNullable<ItemsToAdd['from']>
  /** How many match; undefined where it is not known. */
  matches: number | undefined
}

/** The service takes no more from a search at once: a person may be shown so many rows in an hour. */
const mostAtOnce = 3_000
/** Proposed where more match. */
const proposed = 1_000

/** The results of a search from its beginning, whatever page is shown. */
export function itemsOfSearch(
  body: SearchToAdd['from'] & { limit?: number; cursor?: string | null },
  matches: number | undefined,
): SearchToAdd {
  const { limit: _limit, cursor: _cursor, ...from } = body
  return { from, matches }
}

/** How many may be added, by what matches and by the search rows left, and how many to propose; at least one. */
export function boundsOfAdding(matches = mostAtOnce, rowsLeft = mostAtOnce): { most: number; proposed: number } {
  const most = Math.max(1, Math.min(matches, rowsLeft, mostAtOnce))
  return { most, proposed: Math.min(most, proposed) }
}
