/** A contact's number within the store is below this. */
export const contactsPerStore = 4096

/**
 * What a search can ask of a person beside the role, packed into a number from 0 to 23, and the tokens that a store has
 * for its people: one for each distinct combination of traits, and one for each with its role. A condition on a person is
 * then a clause of such tokens, so that role, seniority and channels have to meet in one and the same person.
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

/** Sorted by these numbers, people stand in result order but for the last two bits. */
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

/** A person's place within their store, as `contacts.place` has it: the most senior first, then verified email, then number. */
export function rankInStore(packed: number, number: number): number {
  return (packed >> 2) * contactsPerStore + number
}

/** Between the flags' tokens and those of the taxonomy. */
const firstTraitsToken = 100
/** Above all tokens of the taxonomy. */
const firstSignatureToken = 2 ** 30

/** The token of a store with somebody of these traits, whatever the role. */
export function traitsToken(packed: number): number {
  return firstTraitsToken + packed
}

/** The token of a store with somebody of this role (by the role's own token) and these traits. */
export function signatureToken(roleToken: number, packed: number): number {
  const token = firstSignatureToken + roleToken * traitsCount + packed
  if (token >= 2 ** 31) throw new RangeError(`no signature for the role token ${roleToken}`)
  return token
}

/** Whether a store has this token because of its people, apart from the tokens of their roles and of flags. */
export function isPersonToken(token: number): boolean {
  return token >= firstSignatureToken || (token >= firstTraitsToken && token < firstTraitsToken + traitsCount)
}
