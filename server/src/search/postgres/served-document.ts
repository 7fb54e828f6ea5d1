import { flagTokens } from '../query/vocabulary.ts'

/**
 * A store's document as it is served, as SQL over `stores`; `deliverEmails` stands for the operator's rule. Documents are
 * rendered for all deliverable emails: where only verified ones count, a store may have nobody left to reveal. Inside a
 * JSON string the quotes would be escaped, so that nothing else can be replaced.
 */
export function servedDocument(stores: string, deliverEmails: string): string {
  return `case
    when ${deliverEmails}::text = 'all' or ${stores}.tokens @> array[${flagTokens.verifiedRevealableContacts}] then ${stores}.document
    else replace(${stores}.document, '"has_revealable_contacts":true', '"has_revealable_contacts":false')
  end`
}
