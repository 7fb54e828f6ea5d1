import { packTraits, type Seniority } from '@storedex/search-index'
import type { DeliverEmails } from '../search/query/vocabulary.ts'

/** Statuses of emails that may be delivered. */
export const deliverableStatuses = ['verified', 'accept_all', 'unverified', 'unknown'] as const
/** Statuses that are kept for the record: such an email is never delivered and never counted. */
const withheldStatuses = ['bounced', 'invalid', 'guessed', 'suppressed'] as const
export const emailStatuses = [...deliverableStatuses, ...withheldStatuses] as const
export const emailTypes = ['work', 'personal', 'role', 'unknown'] as const
export const phoneTypes = ['mobile', 'direct', 'office', 'unknown'] as const
/** An import takes no more than this many emails, and as many phones, of one person. */
export const maxChannels = 50

export interface Email {
  email: string
  status: (typeof emailStatuses)[number]
  type: (typeof emailTypes)[number]
  is_primary: boolean
}

/** One that may be handed over. */
export type DeliverableEmail = Email & { status: (typeof deliverableStatuses)[number] }

export interface Phone {
  phone: string
  type: (typeof phoneTypes)[number]
  is_primary: boolean
}

/** All that is known of a person at a store: what a contact's sealed part holds. Exactly one of a non-empty list is primary. */
export interface ContactFacts {
  external_id: string | null
  first_name: string | null
  last_name: string | null
  /** As imported; where it is null the reply joins first and last name. */
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

/** The emails that may be handed over, exactly one of them primary: the first one where the primary stays behind. */
export function deliverableEmails({ emails }: ContactFacts, deliverEmails: DeliverEmails): DeliverableEmail[] {
  const statuses: readonly Email['status'][] = deliverEmails === 'verified' ? ['verified'] : deliverableStatuses
  return withOnePrimary(emails.filter((email): email is DeliverableEmail => statuses.includes(email.status)))
}

/** Exactly one of a list that is not empty: the first that says so, or else the first. */
export function withOnePrimary<Channel extends Email | Phone>(channels: Channel[]): Channel[] {
  const primary = Math.max(
    0,
    channels.findIndex((channel) => channel.is_primary),
  )
  return channels.map((channel, index) => ({ ...channel, is_primary: index === primary }))
}

/** Whether there is a channel to hand over. */
export function isRevealable(facts: ContactFacts, deliverEmails: DeliverEmails): boolean {
  const { phones, profile_url } = facts
  return phones.length > 0 || profile_url !== null || deliverableEmails(facts, deliverEmails).length > 0
}

/** What stands beside the sealed part in clear, apart from the role. */
export function traitsOf({ seniority, emails, phones, profile_url }: ContactFacts): number {
  return packTraits({
    seniority,
    hasVerifiedEmail: emails.some(({ status }) => status === 'verified'),
    hasPhone: phones.length > 0,
    hasProfile: profile_url !== null,
  })
}
