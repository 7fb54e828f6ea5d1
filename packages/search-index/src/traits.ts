/** A contact's number within the store is below this. */
export const contactsPerStore = 4096

/**
 * The searchable properties of a contact except the role, packed into a number from 0 to 23. A store has a token for each
 * combination of traits among its contacts, and one for each combination with a role. A filter for contacts is then a clause of
 * such tokens, which one contact has to meet alone.
 */
export const seniorities = ['executive', 'decision_maker', 'other'] as const
export type Seniority = (typeof seniorities)[number]

export interface Traits {
  seniority: Seniority
  hasVerifiedEmail: boolean
  hasPhone: boolean
  hasProfile: boolean
}

export const traitsCount = 24

/** The upper bits sort in result order; the last two, phone and profile, do not affect it. */
export function packTraits({ seniority, hasVerifiedEmail, hasPhone, hasProfile }: Traits): number {
  return seniorities.indexOf(seniority) * 8 + (hasVerifiedEmail ? 0 : 4) + (hasPhone ? 2 : 0) + (hasProfile ? 1 : 0)
}

export function unpackTraits(packed: number): Traits {
  return {
    seniority: seniorities[packed >> 3]!,
    hasVerifiedEmail: (packed & 4) === 0,
    hasPhone: (packed & 2) !== 0,
    hasProfile: (packed & 1) !== 0,
  }
}

/** Traits as the index stores them: with a bit, above the traits, for contacts that cannot be revealed. */
export function storedTraits(packed: number, isRevealable: boolean): number {
  return isRevealable ? packed : packed + traitsCount
}

/** Sorts the contacts of a store: most senior first, verified email first, then by number. Stored in `contacts.place`. */
export function rankInStore(packed: number, number: number): number {
  return (packed >> 2) * contactsPerStore + number
}

/** Above the tokens of flags, below those of the taxonomy. */
const firstTraitsToken = 100
/** Above all tokens of the taxonomy. */
const firstSignatureToken = 2 ** 30

/** Stores that have a contact with these traits. */
export function traitsToken(packed: number): number {
  return firstTraitsToken + packed
}

/** Stores that have a contact with this role (given by its token) and these traits. */
export function signatureToken(roleToken: number, packed: number): number {
  const token = firstSignatureToken + roleToken * traitsCount + packed
  if (token >= 2 ** 31) throw new RangeError(`no signature for the role token ${roleToken}`)
  return token
}

/** Whether the token is for traits or a signature: not a role, a flag or a taxonomy value. */
export function isPersonToken(token: number): boolean {
  return token >= firstSignatureToken || (token >= firstTraitsToken && token < firstTraitsToken + traitsCount)
}
