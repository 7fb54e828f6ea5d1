import type { Configuration } from 'openid-client'
import { Refusal } from '../../../foundation/kernel/errors.ts'
import type { OpenIdSettings } from '../settings.ts'

const timeoutSeconds = 10

/** Who the provider says has signed in there. */
export interface ProvidedIdentity {
  issuer: string
  subject: string
  email: string | null
  isEmailVerified: boolean
  name: string | null
}

/** The values that the browser's return from the provider must match. */
export interface Expectations {
  state: string
  nonce: string
  verifier: string
}

/** The OpenID Connect provider. Its description is read from it, and the library loaded, for the first sign-in. */
export class OpenIdProvider {
  readonly #settings: OpenIdSettings
  readonly #redirectUri: string
  #configuration: Promise<Configuration> | undefined

  constructor(settings: OpenIdSettings, redirectUri: string) {
    this.#settings = settings
    this.#redirectUri = redirectUri
  }

  /** Where to send the browser, and what its return has to fit. */
  async start(): Promise<{ url: URL; expectations: Expectations }> {
    const client = await import('openid-client')
    const configuration = await this.#discover()
    const expectations = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    }
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#redirectUri,
      scope: 'openid email profile',
      code_challenge: await client.calculatePKCECodeChallenge(expectations.verifier),
      code_challenge_method: 'S256',
      state: expectations.state,
      nonce: expectations.nonce,
    })
    return { url, expectations }
  }

  /** Exchanges the code that the browser brought back, and checks all that the provider signed. */
  async finish(query: string, { state, nonce, verifier }: Expectations): Promise<ProvidedIdentity> {
    const client = await import('openid-client')
    const configuration = await this.#discover()
    const tokens = await client.authorizationCodeGrant(configuration, new URL(`${this.#redirectUri}${query}`), {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    })
    const idToken = tokens.claims()!
    const needsMore = idToken.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
    const claims = needsMore
      ? { ...idToken, ...(await client.fetchUserInfo(configuration, tokens.access_token, idToken.sub)) }
      : idToken
    return {
      issuer: idToken.iss,
      subject: idToken.sub,
      email: typeof claims.email === 'string' ? claims.email : null,
      isEmailVerified: claims.email_verified === true,
      name: typeof claims.name === 'string' ? claims.name : null,
    }
  }

  async #discover(): Promise<Configuration> {
    this.#configuration ??= this.#readConfiguration()
    try {
      return await this.#configuration
    } catch (cause) {
      this.#configuration = undefined
      throw new Refusal('service_unavailable', 'The sign-in provider does not answer; try again in a moment.', {
        cause,
      })
    }
  }

  async #readConfiguration(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings
    const { allowInsecureRequests, discovery } = await import('openid-client')
    // The settings allow http only on this machine.
    const isInsecure = new URL(issuer).protocol === 'http:'
    return discovery(new URL(issuer), clientId, clientSecret, undefined, {
      timeout: timeoutSeconds,
      ...(isInsecure && { execute: [allowInsecureRequests] }),
    })
  }
}
