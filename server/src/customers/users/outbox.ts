import type { Logger } from 'pino'
import type { GaugeSource } from '../../foundation/http/metrics.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import type { Mail, SendMail } from './mail.ts'

const maxSending = 100

/**
 * Sends mails after their requests were answered, so that the time of an answer tells nothing and a mail server that
 * does not answer delays no request. A mail that fails is logged without its address, and the user asks again.
 */
export class Outbox {
  readonly #sendMail: SendMail
  readonly #log: Logger
  readonly #sending = new Set<Promise<void>>()
  readonly #ended = { sent: 0, failed: 0 }

  constructor(sendMail: SendMail, log: Logger) {
    this.#sendMail = sendMail
    this.#log = log
  }

  /**
   * Throws a 503 if as many mails are being sent as may be. Call it before the work that leads to a mail: a mail that
   * cannot go out must not be promised, nor counted.
   */
  requireRoom(): void {
    if (this.#sending.size < maxSending) return
    throw new Refusal('service_unavailable', 'Too many mails are being sent; try again in a minute.', {
      retryAfterSeconds: 60,
    })
  }

  /**
   * Sends what `write` resolves to; null for nothing. None is dropped: requests are refused before. `onFailure` takes back
   * what the request has counted or stored for a mail that could not be sent.
   */
  send(write: () => Promise<Mail | null>, onFailure?: () => Promise<unknown>): void {
    const sending = this.#send(write).catch(async (error: { code?: string; responseCode?: number }) => {
      this.#ended.failed++
      // The server's answer may repeat the address.
      const { code = null, responseCode = null } = error
      this.#log.warn({ code, responseCode }, 'a mail could not be sent')
      await onFailure?.().catch(() => {})
    })
    this.#sending.add(sending)
    void sending.finally(() => this.#sending.delete(sending))
  }

  async #send(write: () => Promise<Mail | null>): Promise<void> {
    const mail = await write()
    if (!mail) return
    await this.#sendMail(mail)
    this.#ended.sent++
  }

  /** For `registerCounters`. */
  counters(): GaugeSource[] {
    return [
      {
        name: 'storedex_mails_total',
        help: 'Mails that the mail server took, and that could not be sent.',
        labelNames: ['outcome'],
        read: () => Object.entries(this.#ended).map(([outcome, value]) => ({ labels: { outcome }, value })),
      },
    ]
  }

  /** Resolves when nothing is being sent. */
  async drain(): Promise<void> {
    await Promise.all(this.#sending)
  }
}
