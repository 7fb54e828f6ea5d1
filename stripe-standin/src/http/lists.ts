import type { ApiObject } from '../events/emit.ts'
import { invalidRequest, resourceMissing } from './errors.ts'
import { integer, text } from './params.ts'

/** The parameters of every list. */
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
  /** The list's own path. */
  readonly url: string
  /** Stripe's word for one of them. */
  readonly objectName: string
  /** All there are, oldest first, as the book keeps them. */
  readonly records: readonly T[]
  /** Which of them are asked for. */
  readonly matches?: (record: T) => boolean
  readonly page: PageParams
  readonly present: (record: T) => ApiObject
}

/**
 * A page of records, the newest first. The record that a page starts after need not be one that is asked for: it may have
 * changed since it was listed, and a walk through the pages goes on all the same.
 */
export function paginate<T extends { readonly id: string }>(listing: PaginateOptions<T>): ApiObject {
  const { url, records, matches = () => true, page, present } = listing
  const { limit = 10, starting_after: after, ending_before: before } = page
  if (after !== undefined && before !== undefined)
    throw invalidRequest('You may only specify one of these parameters: ending_before, starting_after.')
  const newestFirst = records.toReversed()
  const placeOf = (id: string, param: string) => {
    const place = newestFirst.findIndex((record) => record.id === id)
    if (place < 0) throw resourceMissing(listing.objectName, id, param)
    return place
  }
  // Walked away from the named record, so that the page is next to it in either direction.
  const walk =
    before === undefined
      ? newestFirst.slice(after === undefined ? 0 : placeOf(after, 'starting_after') + 1)
      : newestFirst.slice(0, placeOf(before, 'ending_before')).reverse()
  const found = walk.filter(matches)
  const data = found.slice(0, limit)
  if (before !== undefined) data.reverse()
  return { object: 'list', data: data.map(present), has_more: found.length > limit, url }
}

/** Whether a filter lets a value through; one that was not given lets everything. */
export function matchesFilter<T>(wanted: T | undefined, value: T): boolean {
  return wanted === undefined || wanted === value
}

/** A list inside another object, which holds all there is. */
export function completeList<T>(url: string, data: readonly T[]) {
  return { object: 'list', data, has_more: false, url }
}
