import { isLoopback } from '../../foundation/kernel/domain.ts'
import type { Config } from '../config.ts'
import { type Check, passed, warned } from './checks.ts'

/** Checks the settings alone; sends nothing. */
export function checkMail({ users: { mail, signup } }: Pick<Config, 'users'>): Check {
  if (mail === null)
    return passed(
      'mail',
      'No mail is sent: invitations and new passwords are links that you pass on.',
      'Set SMTP_URL and MAIL_FROM to send them.',
    )
  const { protocol, hostname, port } = new URL(mail.smtpUrl)
  const server = port === '' ? hostname : `${hostname}:${port}`
  const detail = `Mail goes through ${server}${signup === 'open' ? ', and strangers may sign up' : ''}.`
  if (protocol === 'smtps:' || isLoopback(hostname)) return passed('mail', detail)
  return mail.tls === 'required'
    ? passed('mail', `${detail} It is sent encrypted, or not at all.`)
    : warned(
        'mail',
        `${detail} It is encrypted only if that server offers it: links that sign in can be read on the way.`,
        'Remove SMTP_TLS=optional, or use smtps:// if the server has it.',
      )
}
