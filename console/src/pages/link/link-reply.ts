import { api } from '#api/client.ts'

export interface LinkReply {
  object: 'link'
  purpose: 'sign_in' | 'set_password' | 'invitation' | 'sign_up'
  email: string
  name: string | null
  account: { name: string } | null
  needs_name: boolean
  /** An invitation: whoever has an account signs in and opens the link again. */
  needs_sign_in: boolean
  request_id: string
}

/** Changes nothing. */
export function lookAtLink(token: string): Promise<LinkReply> {
  return api.post('/link/look', { token })
}

/** Uses up a link that signs in, and an invitation of the person who is signed in. */
export function openLink(token: string): Promise<LinkReply> {
  return api.post('/link', { token })
}
