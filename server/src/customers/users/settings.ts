import { isLoopback } from '../../foundation/kernel/domain.ts'

/** The settings of how users sign in and are written to. */
export interface UsersSettings {
  mail: MailSettings | null
  /** The contact for questions about personal data where no mail is set up; null for none. */
  privacyContact: string | null
  /** Whether strangers may create an account. */
  signup: 'off' | 'open'
  openid: OpenIdSettings | null
}

export interface MailSettings {
  /** `smtp://` or `smtps://`, with user and password. */
  smtpUrl: string
  from: string
  /** `required`: a server that offers no TLS gets no mail, because links that sign in could be read on the way. */
  tls: 'required' | 'optional'
}

export interface OpenIdSettings {
  issuer: string
  clientId: string
  clientSecret: string
  /** The provider's name on the sign-in page. */
  name: string
}

/** Reads one setting. Throws an `OperatorError` for a value that does not parse. */
type ReadSetting = <T>(name: string, parse: (value: string) => T | undefined, expected: string) => T | null

/** `refuse` throws for settings that do not fit each other. */
export function readUsersSettings(read: ReadSetting, refuse: (message: string) => never): UsersSettings {
  const smtpUrl = read('SMTP_URL', parseSmtpUrl, 'a URL like smtps://user:password@mail.example:465')
  const from = read('MAIL_FROM', parseMailbox, 'an email address, or a name and an address like Storedex <a@b.example>')
  if ((smtpUrl === null) !== (from === null)) refuse('SMTP_URL and MAIL_FROM must be set together.')
  const givenTls = read('SMTP_TLS', parseTls, 'required or optional')
  if (givenTls !== null && smtpUrl === null) refuse('SMTP_TLS needs SMTP_URL and MAIL_FROM as well.')
  const signup = read('SIGNUP', (value) => (value === 'open' || value === 'off' ? value : undefined), 'open or off')
  if (signup === 'open' && smtpUrl === null)
    refuse('SIGNUP=open needs SMTP_URL and MAIL_FROM: addresses are confirmed.')
  return {
    mail: smtpUrl !== null && from !== null ? { smtpUrl, from, tls: givenTls ?? defaultTls(smtpUrl) } : null,
    privacyContact: read('PRIVACY_CONTACT', parseContact, 'an email address or an https URL'),
    signup: signup ?? 'off',
    openid: readOpenId(read, refuse),
  }
}

function readOpenId(read: ReadSetting, refuse: (message: string) => never): OpenIdSettings | null {
  const issuer = read('OIDC_ISSUER', parseIssuer, 'an https URL')
  const clientId = read('OIDC_CLIENT_ID', parseText, 'the id that the provider gave')
  const clientSecret = read('OIDC_CLIENT_SECRET', parseText, 'the secret that the provider gave')
  const name = read('OIDC_NAME', parseText, 'the name of the provider on the sign-in page')
  if (issuer === null && clientId === null && clientSecret === null) {
    if (name !== null) refuse('OIDC_NAME needs OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET as well.')
    return null
  }
  if (issuer === null || clientId === null || clientSecret === null)
    return refuse('OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set together.')
  return { issuer, clientId, clientSecret, name: name ?? new URL(issuer).hostname }
}

const addressShape = /^[^\s@<>"]+@[^\s@<>"]+$/

function parseSmtpUrl(value: string): string | undefined {
  if (!URL.canParse(value)) return undefined
  const { protocol, hostname } = new URL(value)
  return /^smtps?:$/.test(protocol) && hostname !== '' ? value : undefined
}

function parseTls(value: string): MailSettings['tls'] | undefined {
  return value === 'required' || value === 'optional' ? value : undefined
}

function defaultTls(smtpUrl: string): MailSettings['tls'] {
  return isLoopback(new URL(smtpUrl).hostname) ? 'optional' : 'required'
}

function parseMailbox(value: string): string | undefined {
  const [, named] = /^[^<>"\r\n]{1,100} <([^<>]+)>$/.exec(value) ?? []
  return addressShape.test(named ?? value) ? value : undefined
}

function parseContact(value: string): string | undefined {
  const isUrl = URL.canParse(value) && new URL(value).protocol === 'https:'
  return isUrl || addressShape.test(value) ? value : undefined
}

/** A provider over http would let anybody on the way sign in as anybody; on this machine it is for tests. */
function parseIssuer(value: string): string | undefined {
  if (!URL.canParse(value)) return undefined
  const { protocol, hostname, username, password, search, hash } = new URL(value)
  const isLocal = protocol === 'http:' && isLoopback(hostname)
  const isBare = !username && !password && !search && !hash
  return isBare && (protocol === 'https:' || isLocal) ? value : undefined
}

function parseText(value: string): string | undefined {
  return value.length <= 500 ? value : undefined
}
