import type { emailStatuses } from '../../../foundation/encryption/contact-facts.ts'
import type { Facet } from '../../../search/query/vocabulary.ts'

type Words<Value extends string> = Readonly<Record<string, Value>>

/**
 * What services that check and sell addresses call the status of one, in the spelling that `readChoice` compares. A word
 * of doubtful meaning (`ok`, `user managed`) is left out: then its address is left out, too.
 */
export const statusWords: Words<(typeof emailStatuses)[number]> = {
  valid: 'verified',
  deliverable: 'verified',
  safe_to_send: 'verified',
  catch_all: 'accept_all',
  catchall: 'accept_all',
  acceptall: 'accept_all',
  not_verified: 'unverified',
  pending: 'unverified',
  risky: 'unverified',
  extrapolated: 'guessed',
  guess: 'guessed',
  predicted: 'guessed',
  pattern: 'guessed',
  undeliverable: 'invalid',
  unavailable: 'invalid',
  not_found: 'invalid',
  disposable: 'invalid',
  spamtrap: 'invalid',
  spam_trap: 'invalid',
  bounce: 'bounced',
  hard_bounce: 'bounced',
  hard_bounced: 'bounced',
  do_not_mail: 'suppressed',
  do_not_contact: 'suppressed',
  abuse: 'suppressed',
  unsubscribed: 'suppressed',
  opted_out: 'suppressed',
  opt_out: 'suppressed',
}

/** What lists of contacts call a position, in the spelling that labels are compared in. */
export const labelWords: Partial<Record<Facet, Words<string>>> = {
  seniority: {
    founder: 'executive',
    co_founder: 'executive',
    cofounder: 'executive',
    owner: 'executive',
    partner: 'executive',
    c_suite: 'executive',
    c_level: 'executive',
    cxo: 'executive',
    vp: 'decision_maker',
    vice_president: 'decision_maker',
    head: 'decision_maker',
    director: 'decision_maker',
    entry: 'other',
    entry_level: 'other',
    intern: 'other',
  },
  role: {
    engineering: 'technology',
    information_technology: 'technology',
    it: 'technology',
    support: 'customer_support',
    customer_service: 'customer_support',
    accounting: 'finance',
    business_development: 'sales',
    human_resources: 'other',
    hr: 'other',
    legal: 'other',
  },
}
