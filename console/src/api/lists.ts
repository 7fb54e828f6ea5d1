import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import type { Reply, RequestBody, Row } from './operations.ts'
import { useReload } from './query.ts'

export type List = Row<'listLists'>
export type ListKind = List['kind']
/** Domains, ids, or a search. */
export type ItemsToAdd = RequestBody<'addListItems'>

/** All lists, of one kind or of both; an account has 200 at most. */
export const allListsQuery = (account: string, kind?: ListKind) =>
  queryOptions({
    queryKey: ['listLists', { account, kind, isAll: true }],
    queryFn: async ({ signal }) => {
      const lists: List[] = []
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const request = { account, kind, limit: 100, cursor }
        const page: Reply<'listLists'> = await call('listLists', request, { signal })
        lists.push(...page.data)
        cursor = page.next_cursor
      }
      return lists
    },
  })

/** Reloads lists and their items after a change. */
export const useReloadLists = () => useReload('listLists', 'getList', 'listListItems')
