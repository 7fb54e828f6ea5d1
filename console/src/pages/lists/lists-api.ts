import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query'
import { api, type CallOptions, path } from '#api/client.ts'
import type {
  AddListItemsData,
  AddListItemsResponses,
  GetListResponses,
  ListListItemsResponses,
  ListListsResponses,
  RemoveListItemsResponses,
} from '#api/generated/console.ts'

type ListPage = ListListsResponses[200]
export type List = ListPage['data'][number]
export type ListKind = List['kind']
export type ListItem = ListListItemsResponses[200]['data'][number]
/** Domains, ids, or a search. */
export type ItemsToAdd = NonNullable<AddListItemsData['body']>

/** What to call so many of a list's items. */
export const nounsOf = (kind: ListKind): [string, string] =>
  kind === 'stores' ? ['store', 'stores'] : ['person', 'people']

export const listsQuery = (account: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: [account, 'lists', 'page', cursor],
    queryFn: ({ signal }) =>
      api.get<ListPage>(path`/accounts/${account}/lists`, { query: { limit: 50, cursor }, signal }),
    placeholderData: keepPreviousData,
  })

/** All lists of one kind; an account has 200 at most. */
export const listsOfKindQuery = (account: string, kind: ListKind) =>
  queryOptions({
    queryKey: [account, 'lists', 'of-kind', kind],
    queryFn: async ({ signal }) => {
      const lists: List[] = []
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const query = { kind, limit: 100, cursor }
        const page: ListPage = await api.get<ListPage>(path`/accounts/${account}/lists`, { query, signal })
        lists.push(...page.data)
        cursor = page.next_cursor
      }
      return lists
    },
  })

export const listQuery = (account: string, list: string) =>
  queryOptions({
    queryKey: [account, 'lists', 'one', list],
    queryFn: ({ signal }) => api.get<GetListResponses[200]>(path`/accounts/${account}/lists/${list}`, { signal }),
  })

export const listItemsQuery = (account: string, list: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: [account, 'lists', 'items', list, cursor],
    queryFn: ({ signal }) =>
      api.get<ListListItemsResponses[200]>(path`/accounts/${account}/lists/${list}/items`, {
        query: { limit: 50, cursor },
        signal,
      }),
    placeholderData: keepPreviousData,
  })

export interface ListTexts {
  name: string
  description: string | null
}

export const createList = (account: string, list: ListTexts & { kind: ListKind }) =>
  api.post<List>(path`/accounts/${account}/lists`, list)

export const changeList = (account: string, list: string, texts: ListTexts) =>
  api.patch<List>(path`/accounts/${account}/lists/${list}`, texts)

export const deleteList = (account: string, list: string) => api.delete(path`/accounts/${account}/lists/${list}`)

export const addToList = (account: string, list: string, items: ItemsToAdd, options?: CallOptions) =>
  api.post<AddListItemsResponses[200]>(path`/accounts/${account}/lists/${list}/items`, items, options)

export const removeFromList = (account: string, list: string, items: ItemsToAdd) =>
  api.post<RemoveListItemsResponses[200]>(path`/accounts/${account}/lists/${list}/items/remove`, items)

/** Loads lists and what is in them anew, after a change. */
export function useReloadLists(account: string): () => Promise<void> {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: [account, 'lists'] })
}
