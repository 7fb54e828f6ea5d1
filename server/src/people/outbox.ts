import type { Logger } from 'pino'
import type { Mail, SendMail } from './mail.ts'

const maxSending = 100

/**
 * Sends mails after their requests were answered, so that the time of an answer tells nothing and a mail server that
 * does not answer delays nobody. A mail that fails is logged without its address, and the person asks again.
 */
export class Outbox {
  readonly #sendMail: SendMail
  readonly #log: Logger
  readonly #sending = new Set<Promise<void>>()

  constructor(sendMail: SendMail, log: Logger) {
    this.#sendMail = sendMail
    this.#log = log
  }

  /** Sends what `write` resolves to; null for nothing. */
  send(write: () => Promise<Mail | null>): void {
    if (this.#sending.size >= maxSending) {
      this.#log.warn('a mail was dropped: too many are being sent')
      return
    }
    const sending = this.#send(write).catch((error: { code?: string; responseCode?: number }) => {
      // The server's answer may repeat the address.
      const { code = null, responseCode = null } = error
      this.#log.warn({ code, responseCode }, 'a mail could not be sent')
    })
    this.#sending.add(sending)
    void sending.finally(() => this.#sending.delete(sending))
  }

  async #send(write: () => Promise<Mail | null>): Promise<void> {
    const mail = await write()
    if (mail) await this.#sendMail(mail)
  }

  /** Resolves when nothing is being sent. */
  async drain(): Promise<void> {
    await Promise.all(this.#sending)
  }
}
