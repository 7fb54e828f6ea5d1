import type { Logger } from 'pino'
import type { Queryable } from '../../db/pool.ts'
import type { Clock } from '../../kernel/time.ts'
import type { SendMail } from '../../people/mail.ts'
import { hashToken } from '../../people/tokens.ts'
import type { PrivacyLink } from './ask.ts'
import { endRequest } from './queries.ts'

interface OutboxServices {
  db: Queryable
  clock: Clock
  log: Logger
  publicUrl: string
  sendMail: SendMail
}

const privacyPagePath = '/privacy'

/** Mails links after their requests were answered, so that the time of the answer tells nothing. */
export class PrivacyOutbox {
  readonly #services: OutboxServices
  readonly #running = new Set<Promise<void>>()

  constructor(services: OutboxServices) {
    this.#services = services
  }

  send(link: PrivacyLink): void {
    const sending = this.#send(link)
    this.#running.add(sending)
    void sending.finally(() => this.#running.delete(sending))
  }

  /** Resolves when nothing is being sent. */
  async drain(): Promise<void> {
    await Promise.all(this.#running)
  }

  async #send({ email, token }: PrivacyLink): Promise<void> {
    const { db, clock, log, publicUrl, sendMail } = this.#services
    try {
      await sendMail({ to: email, ...letter(publicUrl, token) })
    } catch (error) {
      // The server's answer may repeat the address.
      const { code = null, responseCode = null } = error as { code?: string; responseCode?: number }
      log.warn({ code, responseCode }, 'a privacy link could not be mailed')
      await endRequest(db, hashToken(token), { outcome: 'mail_failed', erased: null, now: clock.now() }).catch(() => {})
    }
  }
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
