import { createHash, createSign, generateKeyPairSync } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { serveOnLoopback } from '../../../support/listen.ts'

/** What the provider says about whoever signs in there. */
export interface ProviderAccount {
  sub: string
  email?: string
  email_verified?: boolean
  name?: string
}

export interface TestProvider {
  issuer: string
  /** Changes of the ID tokens that it issues. */
  tamper: (claims: Record<string, unknown>) => Record<string, unknown>
  /** Somebody signs in at the address to which the browser was sent. Returns the query with which it comes back. */
  signIn(authorizationUrl: string, account: ProviderAccount): string
}

const client = { id: 'storedex', secret: 'very secret' }

/** Starts an OpenID Connect provider that checks what a real one checks: client, code, redirect address and PKCE. */
export async function startOpenIdProvider(): Promise<TestProvider> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const codes = new Map<string, { request: URLSearchParams; account: ProviderAccount }>()
  const provider: TestProvider = {
    issuer: '',
    tamper: (claims) => claims,
    signIn(authorizationUrl, account) {
      const request = new URL(authorizationUrl).searchParams
      const code = `code-${codes.size}`
      codes.set(code, { request, account })
      return `?${new URLSearchParams({ code, state: request.get('state')!, iss: provider.issuer })}`
    },
  }
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const idToken = (account: ProviderAccount, nonce: string | null) => {
    const iat = Math.floor(Date.now() / 1000)
    const claims = { iss: provider.issuer, aud: client.id, iat, exp: iat + 300, nonce, ...account }
    const signed = `${encode({ alg: 'RS256', kid: 'k' })}.${encode(provider.tamper(claims))}`
    return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey).toString('base64url')}`
  }
  const exchange = (form: URLSearchParams) => {
    const issued = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    if (!issued) return undefined
    const { request, account } = issued
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isRight =
      form.get('client_id') === client.id &&
      form.get('client_secret') === client.secret &&
      form.get('redirect_uri') === request.get('redirect_uri') &&
      request.get('code_challenge_method') === 'S256' &&
      request.get('code_challenge') === challenge
    return isRight ? idToken(account, request.get('nonce')) : undefined
  }
  provider.issuer = await serveOnLoopback(async (request, response) => {
    const url = provider.issuer
    if (request.url === '/.well-known/openid-configuration')
      return sendJson(response, 200, {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/keys`,
        authorization_response_iss_parameter_supported: true,
        id_token_signing_alg_values_supported: ['RS256'],
        token_endpoint_auth_methods_supported: ['client_secret_post'],
      })
    if (request.url === '/keys')
      return sendJson(response, 200, { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256' }] })
    const token = exchange(new URLSearchParams(await bodyOf(request)))
    if (!token) return sendJson(response, 400, { error: 'invalid_grant' })
    sendJson(response, 200, { access_token: 'a', token_type: 'Bearer', id_token: token })
  })
  return provider
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}
