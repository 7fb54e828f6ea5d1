import type { Queryable } from '../../../foundation/db/pool.ts'
import { Refusal } from '../../../foundation/kernel/errors.ts'
import type { ActorContext } from '../../auth/actor.ts'
import { recordAudit } from '../../auth/audit.ts'
import { hashToken, newToken } from '../tokens.ts'
import { insertSignInLink, type LinkPurpose } from './queries.ts'

const hourMs = 3_600_000

/** How long a link for a new user can be used, and any other link. */
export const linkLifeMs = { invitation: 72 * hourMs, other: hourMs } as const

interface NewLink {
  userId: number
  /** `per_…` */
  publicId: string
  purpose: LinkPurpose
  lifeMs: number
}

/** Creates a single-use link. Returns its token, which is stored nowhere. */
export async function createSignInLink(db: Queryable, ctx: ActorContext, link: NewLink): Promise<string> {
  const { userId, publicId, purpose, lifeMs } = link
  const token = newToken()
  const { now } = ctx
  const expiresAt = new Date(now.getTime() + lifeMs)
  await insertSignInLink(db, { tokenHash: hashToken(token), userId, purpose, now, expiresAt })
  await recordAudit(db, ctx, { accountId: null, action: 'link.created', target: publicId, details: { purpose } })
  return token
}

/** The address of a link. The token is in the fragment, which browsers never send. */
export function linkUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/link#${token}`
}

/** One error for links that are used, expired or unknown: which of them it is tells something. */
export function invalidLinkError(): Refusal {
  return new Refusal('invalid_link', 'This link was used, has expired or never existed; ask for a new one.')
}
