import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser'
import { queryOptions } from '@tanstack/react-query'
import { api, path } from '#api/client.ts'
import { ApiFailure } from '#api/failure.ts'

export interface Passkey {
  id: string
  name: string
  created_at: string
  last_used_at: string | null
}

export const passkeysQuery = queryOptions({
  queryKey: ['person', 'passkeys'],
  queryFn: ({ signal }) => api.get<{ data: Passkey[] }>('/passkeys', { signal }),
})

export const removePasskey = (id: string) => api.delete(path`/passkeys/${id}`)

/** Asks the browser for a passkey, and keeps it under the name. */
export async function addPasskey(name: string): Promise<Passkey> {
  const { startRegistration, WebAuthnError } = await import('@simplewebauthn/browser')
  const { options } = await api.post<{ options: PublicKeyCredentialCreationOptionsJSON }>(
    '/passkeys/registration-options',
  )
  try {
    return await api.post<Passkey>('/passkeys', { name, response: await startRegistration({ optionsJSON: options }) })
  } catch (error) {
    if (error instanceof ApiFailure) throw error
    const isRefused = error instanceof WebAuthnError || (error instanceof Error && error.name === 'NotAllowedError')
    throw isRefused
      ? new ApiFailure('passkey_refused', 'No passkey was added. Try again, or with another device.')
      : error
  }
}
