import { hashToken, newToken } from '../../customers/users/tokens.ts'
import type { Queryable } from '../../foundation/db/pool.ts'
import { normalizeEmail } from '../../foundation/kernel/channels/email.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import { isPlainAddress } from '../../foundation/kernel/mail/user-address.ts'
import type { Signer } from '../../foundation/kernel/signer.ts'
import { networkOf } from '../../foundation/kernel/text/networks.ts'
import { insertCountedRequest, type RequestWindow } from './queries.ts'
import { sealEmail } from './sealed-email.ts'

const linkLifetimeMs = 3_600_000
/** In an hour. A mailbox gets few links, so that it cannot be flooded; an office shares a network address. */
const allowed = { address: 20, mailbox: 3 } as const

interface AskContext {
  db: Queryable
  signer: Signer
  now: Date
  /** The network address of the browser. */
  address: string
}

/** A link to be mailed. */
export interface PrivacyLink {
  email: string
  token: string
}

/**
 * Stores a request for a link to the data about an address; null after too many requests of the address or the mailbox.
 * The catalogue is not read: known and unknown addresses take the same path, and both get a link.
 */
export async function askForLink(ctx: AskContext, given: string): Promise<PrivacyLink | null> {
  const email = mailboxOf(given)
  const token = newToken()
  const isStored = await insertCountedRequest(ctx.db, windowsOf(ctx, email), {
    tokenHash: hashToken(token),
    sealedEmail: sealEmail(token, email),
    now: ctx.now,
    expiresAt: new Date(ctx.now.getTime() + linkLifetimeMs),
  })
  return isStored ? { email, token } : null
}

function windowsOf({ signer, address }: AskContext, email: string): RequestWindow[] {
  const windowOf = (by: 'address' | 'mailbox', text: string): RequestWindow => ({
    kind: `privacy by ${by}`,
    subject: Buffer.from(signer.sign(`privacy requests by ${by}`, text), 'base64url'),
    allowed: allowed[by],
  })
  return [windowOf('address', networkOf(address)), windowOf('mailbox', normalizeEmail(email)!)]
}

/**
 * The address that the link is mailed to. All spellings in which an address is found must lead to the same mailbox, or
 * the owner of a look-alike could read another person's data: anything but plain ASCII is mailed to its normal form.
 */
function mailboxOf(given: string): string {
  const normal = normalizeEmail(given)
  const written = given.trim().toLowerCase()
  if (normal === null) throw new Refusal('invalid_request', 'email must be an email address.', { param: 'email' })
  return isPlainAddress(written) && normalizeEmail(written) === normal ? written : normal
}
