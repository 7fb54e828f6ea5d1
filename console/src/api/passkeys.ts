import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser'
import { api } from './client.ts'
import { ApiFailure } from './failure.ts'
import type { Session } from './session.ts'

/** Also makes an old sign-in a fresh one. */
export async function signInWithPasskey(): Promise<Session> {
  const { startAuthentication, WebAuthnError } = await import('@simplewebauthn/browser')
  const { options } = await api.post<{ options: PublicKeyCredentialRequestOptionsJSON }>('/passkeys/sign-in-options')
  try {
    return await api.post<Session>('/passkeys/sign-in', {
      response: await startAuthentication({ optionsJSON: options }),
    })
  } catch (error) {
    if (error instanceof ApiFailure) throw error
    const isRefused = error instanceof WebAuthnError || (error instanceof Error && error.name === 'NotAllowedError')
    throw isRefused ? new ApiFailure('passkey_refused', 'No passkey was used. Try again, or use your password.') : error
  }
}
