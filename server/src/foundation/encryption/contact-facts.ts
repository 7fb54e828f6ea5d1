import { packTraits, type Seniority } from '@storedex/search-index'

/** Which emails may be delivered: all except those known to be bad, or only verified ones. An operator's setting. */
export type DeliverEmails = 'all' | 'verified'

export const deliverableStatuses = ['verified', 'accept_all', 'unverified', 'unknown'] as const
/** Emails with these statuses are stored, but never delivered and never counted. */
const withheldStatuses = ['bounced', 'invalid', 'guessed', 'suppressed'] as const
export const emailStatuses = [...deliverableStatuses, ...withheldStatuses] as const
export const emailTypes = ['work', 'personal', 'role', 'unknown'] as const
export const phoneTypes = ['mobile', 'direct', 'office', 'unknown'] as const
/** The most emails that an import accepts for one person, and the most phones. */
export const maxChannels = 50

export interface Email {
  email: string
  status: (typeof emailStatuses)[number]
  type: (typeof emailTypes)[number]
  is_primary: boolean
}

export type DeliverableEmail = Email & { status: (typeof deliverableStatuses)[number] }

export interface Phone {
  phone: string
  type: (typeof phoneTypes)[number]
  is_primary: boolean
}

/** The content of a sealed contact. In a list that is not empty, exactly one email or phone is primary. */
export interface ContactFacts {
  external_id: string | null
  first_name: string | null
  last_name: string | null
  /** As imported; if null, replies join first and last name. */
  full_name: string | null
  title: string | null
  role: string | null
  seniority: Seniority
  profile_url: string | null
  emails: Email[]
  phones: Phone[]
}

/** First and last name joined by a space, unless a full name was imported. */
export function fullNameOf({
  full_name,
  first_name,
  last_name,
}: Pick<ContactFacts, 'full_name' | 'first_name' | 'last_name'>): string | null {
  const joined = [first_name, last_name].filter((name) => name !== null).join(' ')
  return full_name ?? (joined === '' ? null : joined)
}

/** The emails that may be delivered. If the primary one is withheld, the first becomes primary. */
export function deliverableEmails({ emails }: ContactFacts, deliverEmails: DeliverEmails): DeliverableEmail[] {
  const statuses: readonly Email['status'][] = deliverEmails === 'verified' ? ['verified'] : deliverableStatuses
  return withOnePrimary(emails.filter((email): email is DeliverableEmail => statuses.includes(email.status)))
}

/** Makes exactly one channel primary: the first that is marked so, otherwise the first. */
export function withOnePrimary<Channel extends Email | Phone>(channels: Channel[]): Channel[] {
  const primary = Math.max(
    0,
    channels.findIndex((channel) => channel.is_primary),
  )
  return channels.map((channel, index) => ({ ...channel, is_primary: index === primary }))
}

/** Whether the contact has a channel that may be delivered. */
export function isRevealable(facts: ContactFacts, deliverEmails: DeliverEmails): boolean {
  const { phones, profile_url } = facts
  return phones.length > 0 || profile_url !== null || deliverableEmails(facts, deliverEmails).length > 0
}

/** The traits that are stored in clear beside the sealed contact. */
export function traitsOf({ seniority, emails, phones, profile_url }: ContactFacts): number {
  return packTraits({
    seniority,
    hasVerifiedEmail: emails.some(({ status }) => status === 'verified'),
    hasPhone: phones.length > 0,
    hasProfile: profile_url !== null,
  })
}
