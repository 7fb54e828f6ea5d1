import type * as api from '../generated/types.ts'
import type { CallOptions } from '../options.ts'
import type { Pages, RowBound } from '../pages.ts'
import type { ApiPromise } from '../reply.ts'
import { segment } from '../transport/transport.ts'
import { Resource } from './resource.ts'

/** Lists of stores and of contacts. */
export class Lists extends Resource {
  /** An empty list. */
  create(body: api.NewList, options?: CallOptions): ApiPromise<api.List> {
    return this.call({ method: 'POST', path: '/lists', body, repeatable: false }, options)
  }

  /** All lists, the newest first. */
  list(
    query?: { kind?: 'stores' | 'contacts' | undefined; limit?: number | undefined; cursor?: string | undefined },
    options?: CallOptions & RowBound,
  ): Pages<api.List, api.ListPage> {
    return this.listPages('/lists', query, options)
  }

  get(id: string, options?: CallOptions): ApiPromise<api.List> {
    return this.call({ method: 'GET', path: pathOf(id) }, options)
  }

  /** Changes name or description; what is left out stays. */
  update(id: string, body: api.ListChanges, options?: CallOptions): ApiPromise<api.List> {
    return this.call({ method: 'PATCH', path: pathOf(id), body }, options)
  }

  delete(id: string, options?: CallOptions): ApiPromise<api.ListDeleted> {
    return this.call({ method: 'DELETE', path: pathOf(id), repeatable: false }, options)
  }

  /** The items of a list, the newest first. */
  items(
    id: string,
    query?: { limit?: number | undefined; cursor?: string | undefined },
    options?: CallOptions & RowBound,
  ): Pages<api.StoreListItem | api.ContactListItem, api.ListItemPage> {
    return this.listPages(`${pathOf(id)}/items`, query, options)
  }

  /**
   * Adds up to 1,000 domains and ids, which is free, or the results of a search, at one search row for each that the list did
   * not have. All or nothing; repeating it charges nothing twice.
   */
  addItems(id: string, body: api.ListItemsRequest, options?: CallOptions): ApiPromise<api.ListItemsAdded> {
    return this.call({ method: 'POST', path: `${pathOf(id)}/items`, body }, options)
  }

  /** Takes off up to 1,000 domains and ids, or the results of a search. */
  removeItems(id: string, body: api.ListItemsRequest, options?: CallOptions): ApiPromise<api.ListItemsRemoved> {
    return this.call({ method: 'POST', path: `${pathOf(id)}/items/remove`, body }, options)
  }
}

function pathOf(id: string): string {
  return `/lists/${segment(id, 'id')}`
}
