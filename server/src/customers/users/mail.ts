import type { MailSettings } from './settings.ts'

export interface Mail {
  /** A bare address. */
  to: string
  subject: string
  text: string
}

/** Sends a mail; throws when the mail server did not take it. Errors may repeat the address: log only their code. */
export type SendMail = (mail: Mail) => Promise<void>

// A user waits for some of them.
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000, dnsTimeout: 10_000 }

/** The library is loaded for the first mail: a start has no use for it. */
export function createMailer({ smtpUrl, from, tls }: MailSettings): SendMail {
  const open = async () => {
    const { createTransport } = await import('nodemailer')
    const options = { ...timeouts, requireTLS: tls === 'required', disableFileAccess: true, disableUrlAccess: true }
    return createTransport({ url: smtpUrl, ...options })
  }
  let transport: ReturnType<typeof open> | undefined
  return async ({ to, subject, text }) => {
    transport ??= open()
    await (await transport).sendMail({
      from,
      // An object is never parsed as a list of addresses.
      to: { name: '', address: to },
      subject,
      text,
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
  }
}
