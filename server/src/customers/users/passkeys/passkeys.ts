import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { type Pool, transact } from '../../../foundation/db/pool.ts'
import { isLoopback } from '../../../foundation/kernel/domain.ts'
import { Refusal } from '../../../foundation/kernel/errors.ts'
import type { IdSealer } from '../../../foundation/kernel/ids.ts'
import type { Signer } from '../../../foundation/kernel/signer.ts'
import { type Access, authorize } from '../../auth/access.ts'
import { recognised } from '../../auth/actor.ts'
import { recordAudit } from '../../auth/audit.ts'
import type { UserContext } from '../../auth/signed-in.ts'
import { countFailures, takeAttempt } from '../attempts.ts'
import { type ChallengePurpose, createChallenge, takeChallenge } from '../challenges/challenges.ts'
import { shareCredentials } from '../queries.ts'
import { lockSession } from '../sessions/queries.ts'
import { type Browser, beginSession } from '../sessions/sessions.ts'
import { newToken } from '../tokens.ts'
import {
  deletePasskey,
  insertPasskey,
  type PasskeyRow,
  recordPasskeyUse,
  selectPasskeyByCredential,
  selectPasskeys,
} from './queries.ts'

export interface PasskeyContext {
  db: Pool
  ids: IdSealer
  signer: Signer
  now: Date
  browser: Browser
  site: PasskeySite
}

/** Where passkeys work. From the settings and never from a request: what it sends must not decide what it has to fit. */
export interface PasskeySite {
  /** The host name that passkeys belong to. */
  rpId: string
  /** Where the browser may be. */
  origins: string[]
}

/**
 * The site at the public address. While that is this machine, browsers are at `localhost`, because passkeys need a name;
 * `localPort` is where the service listens.
 */
export function passkeySiteOf(publicUrl: string, localPort: number | undefined): PasskeySite {
  const { origin, hostname, port } = new URL(publicUrl)
  const isAnyAddress = hostname === '0.0.0.0' || hostname === '[::]'
  if (!isAnyAddress && !isLoopback(hostname)) return { rpId: hostname, origins: [origin] }
  return { rpId: 'localhost', origins: [...new Set([origin, `http://localhost:${localPort ?? port}`])] }
}

/** The context of a signed-in user. */
interface Holder {
  id: number
  publicId: string
  email: string
  name: string
  sessionId: number
}

const lifeMs = 5 * 60_000
const maxPasskeys = 20
const serviceName = 'Storedex'

// The library takes a tenth of a start to load, and most processes never need it.
const loadLibrary = () => import('@simplewebauthn/server')

/** The options with which a browser creates a passkey. */
export async function startRegistration(
  ctx: PasskeyContext,
  holder: Holder,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await loadLibrary()
  const existing = await selectPasskeys(ctx.db, holder.id)
  const challenge = await newChallenge(ctx, 'passkey_registration', holder.id)
  return generateRegistrationOptions({
    rpName: serviceName,
    rpID: ctx.site.rpId,
    userID: new TextEncoder().encode(holder.publicId),
    userName: holder.email,
    userDisplayName: holder.name,
    challenge: bytesOf(challenge),
    timeout: lifeMs,
    excludeCredentials: existing.map(({ credential_id }) => ({ id: credential_id.toString('base64url') })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

/** Stores a passkey that the browser has created. */
export async function finishRegistration(
  ctx: PasskeyContext,
  holder: Holder,
  { name, response }: { name: string; response: RegistrationResponseJSON },
): Promise<PasskeyRow> {
  const { db, ids, now } = ctx
  const { verifyRegistrationResponse } = await loadLibrary()
  const challenge = challengeIn(response.response.clientDataJSON)
  const known = await takeChallenge(db, { token: challenge, purpose: 'passkey_registration', now })
  if (known?.person_id !== holder.id) throw refusedPasskeyError()
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: ctx.site.origins,
    expectedRPID: ctx.site.rpId,
    requireUserVerification: true,
  }).catch(throwRefused)
  if (!verified) throw refusedPasskeyError()
  const { credential } = registrationInfo
  return transact(db, async (client) => {
    // The user may have ended this session since the request was admitted, because a stranger has it.
    await shareCredentials(client, holder.id)
    if (!(await lockSession(client, holder.id, holder.sessionId))) throw refusedPasskeyError()
    const passkey = await insertPasskey(
      client,
      {
        userId: holder.id,
        credentialId: Buffer.from(credential.id, 'base64url'),
        publicKey: Buffer.from(credential.publicKey),
        signCount: credential.counter,
        transports: credential.transports ?? [],
        name,
        now,
      },
      maxPasskeys,
    )
    if (!passkey)
      throw new Refusal('invalid_request', `This passkey is known already, or you have ${maxPasskeys} of them.`)
    const target = ids.seal('passkey', passkey.id)
    const actor = recognised(holder.id, { address: ctx.browser.address, now })
    await recordAudit(client, actor, { accountId: null, action: 'passkey.created', target })
    return passkey
  })
}

/** The options with which a browser signs in. The browser offers the passkeys, so no address is needed. */
export async function startPasskeySignIn(ctx: PasskeyContext): Promise<PublicKeyCredentialRequestOptionsJSON> {
  await takeAttempt(ctx, 'challenge', { address: ctx.browser.address })
  const { generateAuthenticationOptions } = await loadLibrary()
  const challenge = await newChallenge(ctx, 'passkey_sign_in', null)
  return generateAuthenticationOptions({
    rpID: ctx.site.rpId,
    challenge: bytesOf(challenge),
    timeout: lifeMs,
    userVerification: 'required',
  })
}

/** Signs in by a passkey. Returns the token of a new session; the session that the browser had ends. */
export function signInByPasskey(
  ctx: PasskeyContext,
  given: { response: AuthenticationResponseJSON; replacedToken: Buffer | null },
): Promise<string> {
  const attempt = { address: ctx.browser.address }
  return countFailures(ctx, { kind: 'sign_in', attempt, failure: 'sign_in_failed' }, () => checkAndSignIn(ctx, given))
}

async function checkAndSignIn(
  ctx: PasskeyContext,
  { response, replacedToken }: { response: AuthenticationResponseJSON; replacedToken: Buffer | null },
): Promise<string> {
  const { db, now } = ctx
  const { passkey, signCount } = await verifySignature(ctx, response)
  return transact(db, async (client) => {
    if (!(await shareCredentials(client, passkey.person_id))) throw refusedPasskeyError()
    if (!(await recordPasskeyUse(client, { id: passkey.id, signCount, now }))) throw refusedPasskeyError()
    return beginSession(client, { ...ctx, replacedToken }, passkey.person_id, 'passkey')
  })
}

async function verifySignature(
  ctx: PasskeyContext,
  response: AuthenticationResponseJSON,
): Promise<{ passkey: PasskeyRow; signCount: number }> {
  const { verifyAuthenticationResponse } = await loadLibrary()
  const challenge = challengeIn(response.response.clientDataJSON)
  const isKnown = await takeChallenge(ctx.db, { token: challenge, purpose: 'passkey_sign_in', now: ctx.now })
  const passkey = await selectPasskeyByCredential(ctx.db, Buffer.from(response.id, 'base64url'))
  if (!isKnown || !passkey) throw refusedPasskeyError()
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: ctx.site.origins,
    expectedRPID: ctx.site.rpId,
    requireUserVerification: true,
    credential: {
      id: response.id,
      publicKey: new Uint8Array(passkey.public_key),
      counter: passkey.sign_count,
    },
  }).catch(throwRefused)
  if (!verified) throw refusedPasskeyError()
  return { passkey, signCount: authenticationInfo.newCounter }
}

async function newChallenge(ctx: PasskeyContext, purpose: ChallengePurpose, userId: number | null): Promise<string> {
  const token = newToken()
  await createChallenge(ctx.db, { token, purpose, userId, content: '', lifeMs, now: ctx.now })
  return token
}

function bytesOf(challenge: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(challenge, 'base64url'))
}

/** The challenge that the browser signed. */
function challengeIn(clientDataJson: string): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString()) as { challenge?: unknown }
    return typeof challenge === 'string' ? challenge : ''
  } catch {
    return ''
  }
}

/** The library says in many words what does not fit; to the browser they are all one. */
function throwRefused(cause: unknown): never {
  throw refusedPasskeyError(cause)
}

function refusedPasskeyError(cause?: unknown): Refusal {
  return new Refusal('sign_in_failed', 'This passkey was not accepted; try again, or sign in another way.', { cause })
}

export const removePasskeys: Access = { person: true, kind: 'powerful' }

/** Removes a passkey of the user; it signs in no longer. */
export async function removePasskey(ctx: UserContext & { ids: IdSealer }, passkeyId: string): Promise<void> {
  authorize(ctx, removePasskeys)
  const opened = ctx.ids.open(passkeyId)
  await transact(ctx.db, async (client) => {
    const isDeleted = opened?.kind === 'passkey' && (await deletePasskey(client, ctx.user.id, opened.value))
    if (!isDeleted) throw new Refusal('passkey_not_found', 'You have no such passkey.')
    await recordAudit(client, ctx, { accountId: null, action: 'passkey.removed', target: passkeyId })
  })
}
