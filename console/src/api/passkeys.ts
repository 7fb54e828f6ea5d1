import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'
import { call } from './client.ts'
import { ApiFailure } from './failure.ts'
import type { Reply, RequestBody } from './operations.ts'
import type { Session } from './session.ts'

/** Also makes an old sign-in a fresh one. */
export function signInWithPasskey(): Promise<Session> {
  return askBrowser('No passkey was used. Try again, or use your password.', async ({ startAuthentication }) => {
    const { options } = await call('startPasskeySignIn', {})
    const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON
    const response = (await startAuthentication({ optionsJSON })) as unknown
    return call('signInByPasskey', { body: { response } as RequestBody<'signInByPasskey'> })
  })
}

/** Asks the browser for a passkey, and keeps it under the name. */
export function addPasskey(name: string): Promise<Reply<'addPasskey'>> {
  return askBrowser('No passkey was added. Try again, or with another device.', async ({ startRegistration }) => {
    const { options } = await call('startPasskeyRegistration', {})
    const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON
    const response = (await startRegistration({ optionsJSON })) as unknown
    return call('addPasskey', { body: { name, response } as RequestBody<'addPasskey'> })
  })
}

async function askBrowser<Result>(
  refusal: string,
  ask: (library: typeof import('@simplewebauthn/browser')) => Promise<Result>,
): Promise<Result> {
  const library = await import('@simplewebauthn/browser')
  try {
    return await ask(library)
  } catch (error) {
    if (error instanceof ApiFailure) throw error
    const isRefused =
      error instanceof library.WebAuthnError || (error instanceof Error && error.name === 'NotAllowedError')
    throw isRefused ? new ApiFailure('passkey_refused', refusal) : error
  }
}
