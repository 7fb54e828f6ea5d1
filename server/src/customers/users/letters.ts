import { plainName } from '../../foundation/kernel/mail/plain-name.ts'
import { linkUrl } from './links/links.ts'

/** The texts of mails about signing in. Each has one link and no markup. */
export interface Letter {
  subject: string
  text: string
}

interface LetterOptions {
  publicUrl: string
  token: string
}

export function passwordLetter({ publicUrl, token }: LetterOptions): Letter {
  const host = hostOf(publicUrl)
  return {
    subject: `Your password at ${host}`,
    text: `Somebody, probably you, asked for a new password at ${host}.

Open this link to set it:

${linkUrl(publicUrl, token)}

The link works once, and for one hour. If you did not ask, you need not do anything: your password stays as it is.
`,
  }
}

/** The names are others' words under our name: quoted, short, and never in the subject. */
export function invitationLetter(options: LetterOptions & { accountName: string; inviter: string }): Letter {
  const { publicUrl, token, accountName, inviter } = options
  const host = hostOf(publicUrl)
  return {
    subject: `Invitation to an account at ${host}`,
    text: `Somebody${quoted('who is called', inviter)} invites you to an account${quoted('called', accountName)} at ${host}.

Open this link to join:

${linkUrl(publicUrl, token)}

The link works once, and for three days. If you do not know what this is about, you need not do anything.
`,
  }
}

export function signUpLetter({ publicUrl, token }: LetterOptions): Letter {
  const host = hostOf(publicUrl)
  return {
    subject: `Your account at ${host}`,
    text: `Somebody, probably you, signed up at ${host} with this email address.

Open this link to set a password and create the account:

${linkUrl(publicUrl, token)}

The link works once, and for one hour. If you did not sign up, you need not do anything.
`,
  }
}

/** Instead of a second account: the page that was answered looks the same in both cases. */
export function knownAddressLetter({ publicUrl }: { publicUrl: string }): Letter {
  const host = hostOf(publicUrl)
  return {
    subject: `Your account at ${host}`,
    text: `Somebody, probably you, signed up at ${host} with this email address. It has an account already.

Sign in here, or ask for a new password:

${publicUrl}/sign-in

If you did not sign up, you need not do anything.
`,
  }
}

const credentialNames = {
  password: 'a new password was set',
  passkey: 'a passkey was added',
  provider: 'signing in with your provider was set up',
} as const

/** Tells the owner of an address what others could have done. It has no link to anything that signs in. */
export function noticeLetter(options: {
  publicUrl: string
  now: Date
  credential: keyof typeof credentialNames
}): Letter {
  const { publicUrl, now, credential } = options
  const host = hostOf(publicUrl)
  return {
    subject: `A new way to sign in at ${host}`,
    text: `For your account at ${host}, ${credentialNames[credential]} on ${formatTime(now)}.

If that was you, you need not do anything.

If not, ask for a new password at once. It ends all sessions, links and passkeys of your account:

${publicUrl}/sign-in
`,
  }
}

/** Tells a user that a command made them an operator. */
export function operatorLetter({ publicUrl, now }: { publicUrl: string; now: Date }): Letter {
  const host = hostOf(publicUrl)
  return {
    subject: `Your account at ${host}`,
    text: `Since ${formatTime(now)} you are an operator of ${host}: you may see and change everything there.

If you do not know why, tell the people who run ${host}.
`,
  }
}

const formatTime = (time: Date) => `${time.toISOString().slice(0, 16).replace('T', ' at ')} UTC`

function hostOf(publicUrl: string): string {
  return new URL(publicUrl).host
}

function quoted(words: string, name: string): string {
  const plain = plainName(name)
  return plain === '' ? '' : ` ${words} "${plain}"`
}
