import { type Pool, transact } from '../../db/pool.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { IdSealer } from '../../kernel/ids.ts'
import type { Signer } from '../../kernel/signer.ts'
import { takeAttempt } from '../attempts.ts'
import { recordAudit } from '../audit.ts'
import { hashNewPassword, setPassword } from '../passwords/set-password.ts'
import { type RegisteredPerson, selectPerson } from '../queries.ts'
import { deleteSessionByToken } from '../sessions/queries.ts'
import { type Browser, createSession } from '../sessions/sessions.ts'
import { hashToken } from '../tokens.ts'
import { invalidLinkError } from './links.ts'
import { type LinkPurpose, selectSignInLink, useSignInLink } from './queries.ts'

export interface LinkContext {
  db: Pool
  ids: IdSealer
  signer: Signer
  now: Date
  browser: Browser
  /** The hash of the session's token that the browser had; that session ends. */
  replacedToken: Buffer | null
}

/** What a link has done or waits for. */
export interface OpenedLink {
  email: string
  name: string
  /** The token of the new session; null when the link waits for a password. */
  sessionToken: string | null
}

/** Opens a link: one that signs in is used up, one that sets a password is only looked at. */
export async function openLink(ctx: LinkContext, token: string): Promise<OpenedLink> {
  return countingFailures(ctx, async () => {
    const tokenHash = hashToken(token)
    const link = await selectSignInLink(ctx.db, tokenHash, ctx.now)
    if (!link) throw invalidLinkError()
    if (link.purpose === 'set_password') {
      const { email, name } = await personOf(ctx, link.person_id)
      return { email, name, sessionToken: null }
    }
    return useLink(ctx, tokenHash, 'sign_in', async () => {})
  })
}

/** Sets a person's password by a link for it, and signs them in. */
export async function setPasswordByLink(
  ctx: LinkContext,
  { token, password, name }: { token: string; password: string; name: string | null },
): Promise<OpenedLink> {
  return countingFailures(ctx, async () => {
    const tokenHash = hashToken(token)
    const link = await selectSignInLink(ctx.db, tokenHash, ctx.now)
    if (link?.purpose !== 'set_password') throw invalidLinkError()
    const person = await personOf(ctx, link.person_id)
    const hash = await hashNewPassword(password, { email: person.email, name: name ?? person.name })
    return useLink(ctx, tokenHash, 'set_password', (client) =>
      setPassword(client, {
        personId: person.id,
        publicId: ctx.ids.seal('person', person.id),
        hash,
        name,
        keptSessionId: null,
        address: ctx.browser.address,
        now: ctx.now,
      }),
    )
  })
}

async function useLink(
  ctx: LinkContext,
  tokenHash: Buffer,
  purpose: LinkPurpose,
  work: (client: Parameters<typeof selectPerson>[0]) => Promise<void>,
): Promise<OpenedLink> {
  const { db, now, browser } = ctx
  return transact(db, async (client) => {
    const link = await useSignInLink(client, { tokenHash, purpose, now })
    if (!link) throw invalidLinkError()
    const personId = link.person_id
    await work(client)
    if (ctx.replacedToken) await deleteSessionByToken(client, ctx.replacedToken)
    const sessionToken = await createSession(client, { personId, browser, now })
    const audit = { accountId: null, personId, address: browser.address, at: now }
    await recordAudit(client, { ...audit, action: 'link.used', details: { purpose } })
    await recordAudit(client, { ...audit, action: 'session.created', details: { by: 'link' } })
    const { email, name } = (await selectPerson(client, personId))!
    return { email, name, sessionToken }
  })
}

async function personOf({ db }: LinkContext, id: number): Promise<RegisteredPerson> {
  const person = await selectPerson(db, id)
  // Removed with their links, a moment ago.
  if (!person) throw invalidLinkError()
  return person
}

/** Counts attempts with links that cannot be used, so that nobody can search for tokens. */
async function countingFailures<T>(ctx: LinkContext, work: () => Promise<T>): Promise<T> {
  const attempt = await takeAttempt(ctx, 'link', { address: ctx.browser.address })
  try {
    const result = await work()
    await attempt.undo(ctx.db)
    return result
  } catch (error) {
    // A weak password is no attempt to guess a link.
    if (!(error instanceof ApiError) || error.code !== 'invalid_link') await attempt.undo(ctx.db)
    throw error
  }
}
