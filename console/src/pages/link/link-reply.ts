import { api } from '#api/client.ts'

interface SignInLink {
  object: 'link'
  purpose: 'sign_in'
}

export interface PasswordLink {
  object: 'link'
  purpose: 'set_password' | 'invitation' | 'sign_up'
  email: string
  name: string | null
  account: { name: string } | null
  needs_name: boolean
  /** The person of an invitation is known: they sign in, and open the link again. */
  needs_sign_in: boolean
  request_id: string
}

/** A link for signing in is used up by this. The others are when the password is set. */
export function openLink(token: string): Promise<SignInLink | PasswordLink> {
  return api.post('/link', { token })
}
