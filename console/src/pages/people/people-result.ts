import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { searchPeople } from '#api/catalogue.ts'
import { callMetered, meteredQuery } from '#api/metered.ts'
import type { PeopleSearchBody } from '#lib/filters/request.ts'

/** A page of people. It costs search rows, so it is asked for once and kept. */
export function peopleResultQuery(account: string, body: PeopleSearchBody) {
  return queryOptions({
    queryKey: ['people', account, body],
    queryFn: (context) => callMetered(context, account, (options) => searchPeople(account, body, options)),
    placeholderData: keepPreviousData,
    ...meteredQuery,
  })
}
