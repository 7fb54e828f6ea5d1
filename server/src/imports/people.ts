import { signatureToken, traitsToken } from '@storedex/search-index'
import type { Store } from '../delivery/store-document.ts'
import { flagTokens, type Vocabulary } from '../search/query/vocabulary.ts'

/** Those of a store's contacts who share role and traits. */
export interface SignatureRow {
  role: string | null
  traits: number
  total: number
  revealable: boolean
  verified_revealable: boolean
  verified_emails: number
}

/** What a store says of its contacts in its document. */
export function summarizePeople(rows: SignatureRow[]): Store['contacts_summary'] {
  const roles = new Set(rows.flatMap(({ role }) => (role === null ? [] : [role])))
  return {
    total: sum(rows, (row) => row.total),
    has_revealable_contacts: rows.some((row) => row.revealable),
    verified_email_count: sum(rows, (row) => row.verified_emails),
    // By code units, as PostgreSQL sorts them under "C": role words are ASCII.
    roles: [...roles].sort(),
  }
}

/** What a search can ask of a store's contacts, apart from the words of their roles. */
export function tokensOfPeople(rows: SignatureRow[], vocabulary: Vocabulary): number[] {
  const tokens = new Set<number>()
  if (rows.length > 0) tokens.add(flagTokens.contacts)
  for (const { role, traits, revealable, verified_revealable } of rows) {
    if (revealable) tokens.add(flagTokens.revealableContacts)
    if (verified_revealable) tokens.add(flagTokens.verifiedRevealableContacts)
    tokens.add(traitsToken(traits))
    if (role !== null) tokens.add(signatureToken(tokenOfRole(role, vocabulary), traits))
  }
  return [...tokens]
}

function tokenOfRole(role: string, vocabulary: Vocabulary): number {
  const term = vocabulary.find('role', role)
  // A store that silently lacked a token would be missing from searches.
  if (!term) throw new Error(`the taxonomy has no role "${role}", which a contact has`)
  return term.token
}

function sum(rows: SignatureRow[], figure: (row: SignatureRow) => number): number {
  return rows.reduce((total, row) => total + figure(row), 0)
}
