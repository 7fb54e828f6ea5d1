import type { Presented } from '../events/emit.ts'
import { invalidRequest, noSuch } from './errors.ts'
import { integer, text } from './params.ts'

/** The parameters of every list. */
export const listParams = {
  limit: integer({ min: 1, max: 100 }),
  starting_after: text,
  ending_before: text,
}

interface ListQuery {
  readonly limit?: number
  readonly starting_after?: string
  readonly ending_before?: string
}

/** A page of records, of which the newest come first. `records` are given oldest first, as the book keeps them. */
export function listPage<T extends { readonly id: string }>(
  url: string,
  what: string,
  records: readonly T[],
  query: ListQuery,
  present: (record: T) => Presented,
): Presented {
  const { limit = 10, starting_after: after, ending_before: before } = query
  if (after !== undefined && before !== undefined)
    throw invalidRequest('You may only specify one of these parameters: ending_before, starting_after.')
  const newestFirst = records.toReversed()
  const placeOf = (id: string, param: string) => {
    const place = newestFirst.findIndex((record) => record.id === id)
    if (place < 0) throw noSuch(what, id, param)
    return place
  }
  let page: T[]
  let hasMore: boolean
  if (before === undefined) {
    const start = after === undefined ? 0 : placeOf(after, 'starting_after') + 1
    page = newestFirst.slice(start, start + limit)
    hasMore = newestFirst.length > start + limit
  } else {
    const end = placeOf(before, 'ending_before')
    page = newestFirst.slice(Math.max(0, end - limit), end)
    hasMore = end > limit
  }
  return { object: 'list', data: page.map(present), has_more: hasMore, url }
}
