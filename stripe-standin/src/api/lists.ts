import type { ApiObject } from '../state/emit.ts'
import { invalidRequest, resourceMissing } from '../state/errors.ts'
import { integer, text } from './params.ts'

/** Parameters of every list endpoint. */
export const listParams = {
  limit: integer({ min: 1, max: 100 }),
  starting_after: text,
  ending_before: text,
}

export interface PageParams {
  readonly limit?: number
  readonly starting_after?: string
  readonly ending_before?: string
}

interface PaginateOptions<T> {
  /** The path of the list. */
  readonly url: string
  /** Stripe's name of the object, for errors. */
  readonly objectName: string
  /** All records, oldest first. */
  readonly records: readonly T[]
  /** Filter on the records. */
  readonly matches?: (record: T) => boolean
  readonly page: PageParams
  readonly present: (record: T) => ApiObject
}

/**
 * Returns one page of records, newest first. The cursor record need not match the filter: it may have changed since it
 * was listed, and pagination must still continue.
 */
export function paginate<T extends { readonly id: string }>(listing: PaginateOptions<T>): ApiObject {
  const { url, records, matches = () => true, page, present } = listing
  const { limit = 10, starting_after: after, ending_before: before } = page
  if (after !== undefined && before !== undefined)
    throw invalidRequest('You may only specify one of these parameters: ending_before, starting_after.')
  const newestFirst = records.toReversed()
  const indexOf = (id: string, param: string) => {
    const index = newestFirst.findIndex((record) => record.id === id)
    if (index < 0) throw resourceMissing(listing.objectName, id, param)
    return index
  }
  // Ordered away from the cursor in either direction, so that the page is adjacent to it.
  const ordered =
    before === undefined
      ? newestFirst.slice(after === undefined ? 0 : indexOf(after, 'starting_after') + 1)
      : newestFirst.slice(0, indexOf(before, 'ending_before')).reverse()
  const found = ordered.filter(matches)
  const data = found.slice(0, limit)
  if (before !== undefined) data.reverse()
  return { object: 'list', data: data.map(present), has_more: found.length > limit, url }
}

/** Whether a value equals the filter; an undefined filter matches everything. */
export function matchesFilter<T>(wanted: T | undefined, value: T): boolean {
  return wanted === undefined || wanted === value
}
