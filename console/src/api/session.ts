import { type QueryClient, queryOptions, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import type { Reply } from './operations.ts'
import { callQuery } from './query.ts'

export type Session = Reply<'getSession'>
export type SessionAccount = Session['accounts'][number]
export type Role = SessionAccount['role']

export const sessionQuery = queryOptions({
  ...callQuery('getSession', {}),
  // The route sends people to the sign-in page.
  queryFn: ({ signal }) => call('getSession', {}, { signal, keepsPage: true }),
  staleTime: Number.POSITIVE_INFINITY,
})

export const signInOptionsQuery = callQuery('getSignInOptions', {})

/** On pages behind the sign-in only. */
export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data
}

/** Reloads the session after a change of name, members, plan. */
export function useReloadSession(): () => Promise<void> {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: sessionQuery.queryKey })
}

/** After a sign-in: forgets everything of the person who was signed in before. */
export function startSession(client: QueryClient, session?: Session): void {
  client.clear()
  if (session) client.setQueryData(sessionQuery.queryKey, session)
}
