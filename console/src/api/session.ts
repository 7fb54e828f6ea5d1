import { type QueryClient, queryOptions, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { api } from './client.ts'

export type Role = 'viewer' | 'member' | 'admin' | 'owner'

export interface SessionAccount {
  id: string
  name: string
  role: Role
  /** False: only billing, keys, members and what is revealed already. */
  api_access: boolean
  plan: { slug: string; name: string; status: string }
}

export interface Session {
  object: 'session'
  person: { id: string; email: string; name: string; operator: boolean }
  accounts: SessionAccount[]
  see_as: { account: { id: string; name: string } } | null
  signed_in_at: string
  /** What the person has chosen on the pages, such as columns. */
  settings: Record<string, unknown>
  features: { mail: boolean; oidc: { name: string } | null; signup: boolean }
  version: string
  request_id: string
}

export interface SignInOptions {
  object: 'sign_in_options'
  /** Whether mail is set up. */
  mail: boolean
  /** Whom to write to about personal data: an address or a page. */
  privacy_contact: string | null
  oidc: { name: string } | null
  signup: boolean
  passkeys: boolean
  first_operator_missing: boolean
  request_id: string
}

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  // The route sends people to the sign-in page.
  queryFn: ({ signal }) => api.get<Session>('/session', { signal, keepsPage: true }),
  staleTime: Number.POSITIVE_INFINITY,
})

export const signInOptionsQuery = queryOptions({
  queryKey: ['sign-in-options'],
  queryFn: ({ signal }) => api.get<SignInOptions>('/sign-in-options', { signal }),
})

/** On pages behind the sign-in only. */
export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data
}

/** Loads the session anew, after a change of name, members, plan. */
export function useReloadSession(): () => Promise<void> {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: sessionQuery.queryKey })
}

/** After a sign-in: forgets everything of the person who was signed in before. */
export function startSession(client: QueryClient, session?: Session): void {
  client.clear()
  if (session) client.setQueryData(sessionQuery.queryKey, session)
}
