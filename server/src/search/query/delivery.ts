import { flagTokens } from './vocabulary.ts'

/** Which emails may be delivered: all but those known to be bad, or only verified ones. Decided by the operator. */
export type DeliverEmails = 'all' | 'verified'

/** The token of stores with somebody who can be revealed under this rule. */
export function revealableToken(deliverEmails: DeliverEmails): number {
  return deliverEmails === 'verified' ? flagTokens.verifiedRevealableContacts : flagTokens.revealableContacts
}
