import type { Outbox } from '../../customers/users/outbox.ts'
import { hashToken } from '../../customers/users/tokens.ts'
import type { Queryable } from '../../foundation/db/pool.ts'
import type { Clock } from '../../foundation/kernel/time.ts'
import type { PrivacyLink } from './ask.ts'
import { endRequest } from './queries.ts'

interface LinkMailServices {
  db: Queryable
  clock: Clock
  publicUrl: string
}

const privacyPagePath = '/privacy'

/** Mails a link after its request was answered, so that the time of the answer tells nothing. */
export function mailPrivacyLink(
  outbox: Outbox,
  { db, clock, publicUrl }: LinkMailServices,
  { email, token }: PrivacyLink,
): void {
  outbox.send(
    async () => ({ to: email, ...letter(publicUrl, token) }),
    () => endRequest(db, hashToken(token), { outcome: 'mail_failed', erased: null, now: clock.now() }),
  )
}

function letter(publicUrl: string, token: string): { subject: string; text: string } {
  const { host } = new URL(publicUrl)
  return {
    subject: `Your data at ${host}`,
    text: `Somebody, probably you, asked ${host} what it holds about this email address.

Open this link to see it, and to have it erased if you want:

${publicUrl}${privacyPagePath}#${token}

The link works for one hour. If you did not ask, you need not do anything.
`,
  }
}
