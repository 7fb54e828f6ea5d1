import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { api, path } from '#api/client.ts'
import type { Role } from '#api/session.ts'

export interface Member {
  id: string
  name: string
  email: string
  role: Role
  added_at: string
  is_you: boolean
}

export interface Invitation {
  id: string
  email: string
  role: Role
  created_at: string
  expires_at: string
  is_expired: boolean
  invited_by: { id: string; name: string } | null
}

export interface SentInvitation {
  id: string
  email: string
  role: Role
  expires_at: string
  delivery: 'mail' | 'link'
  /** Shown once, where no mail is set up. */
  link: string | null
}

export const membersQuery = (account: string) =>
  queryOptions({
    queryKey: [account, 'members'],
    queryFn: ({ signal }) => api.get<{ data: Member[] }>(path`/accounts/${account}/members`, { signal }),
  })

export const invitationsQuery = (account: string) =>
  queryOptions({
    queryKey: [account, 'invitations'],
    queryFn: ({ signal }) => api.get<{ data: Invitation[] }>(path`/accounts/${account}/invitations`, { signal }),
  })

export const changeRole = (account: string, person: string, role: Role) =>
  api.patch(path`/accounts/${account}/members/${person}`, { role })

export const removeMember = (account: string, person: string) =>
  api.delete(path`/accounts/${account}/members/${person}`)

/** The reply may hold a link that lets somebody in: it is shown, and kept nowhere else. */
export const invite = (account: string, invitation: { email: string; role: Role }) =>
  api.post<SentInvitation>(path`/accounts/${account}/invitations`, invitation)

export const sendInvitationAgain = (account: string, invitation: string) =>
  api.post<SentInvitation>(path`/accounts/${account}/invitations/${invitation}/send-again`)

export const revokeInvitation = (account: string, invitation: string) =>
  api.delete(path`/accounts/${account}/invitations/${invitation}`)

export function useReloadMembers(account: string): () => Promise<void> {
  const client = useQueryClient()
  return async () => {
    await Promise.all([
      client.invalidateQueries({ queryKey: [account, 'members'] }),
      client.invalidateQueries({ queryKey: [account, 'invitations'] }),
    ])
  }
}
