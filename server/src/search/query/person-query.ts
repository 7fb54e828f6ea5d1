import {
  type PersonQuery,
  packTraits,
  seniorities,
  signatureToken,
  traitsCount,
  traitsToken,
  unpackTraits,
} from '@storedex/search-index'
import type { ContactPersonFilters } from './filters.ts'
import { flagTokens, resolveFilterValues, type Term, type Vocabulary } from './vocabulary.ts'

/** Checks the words of a filter and brings it to normal form; refuses with the place of the first fault. */
export function normalizePersonFilters(vocabulary: Vocabulary, filters: ContactPersonFilters): PersonQuery {
  const roles = resolveFilterValues(vocabulary, 'role', filters.roles_any, 'person.roles_any')
  const asked = resolveFilterValues(vocabulary, 'seniority', filters.seniority_any, 'person.seniority_any').map(
    (term) => term.value,
  )
  const meets = (packed: number) => {
    const traits = unpackTraits(packed)
    return (
      (asked.length === 0 || asked.includes(traits.seniority)) &&
      (filters.has_verified_email ?? traits.hasVerifiedEmail) === traits.hasVerifiedEmail &&
      (filters.has_phone ?? traits.hasPhone) === traits.hasPhone &&
      (filters.has_profile ?? traits.hasProfile) === traits.hasProfile
    )
  }
  return personQuery(roles, allTraits.filter(meets))
}

/** The people in any of the roles named at `place`; everybody when none is named. */
export function normalizeRoles(vocabulary: Vocabulary, words: string[] | undefined, place: string): PersonQuery {
  return personQuery(resolveFilterValues(vocabulary, 'role', words, place), allTraits)
}

/**
 * Whether a query narrows the people on file: by role, by seniority or by something that they must have. Asking for people
 * without something does not; those without any channel, of every seniority, are then still among the answers.
 */
export function narrowsPeople({ roles, traits }: PersonQuery): boolean {
  return roles !== null || (traits !== null && !bareTraits.every((packed) => traits.includes(packed)))
}

const allTraits = Array.from({ length: traitsCount }, (_, packed) => packed)

/** Of people without any channel, one for each seniority. */
const bareTraits = seniorities.map((seniority) =>
  packTraits({ seniority, hasVerifiedEmail: false, hasPhone: false, hasProfile: false }),
)

function personQuery(roleTerms: Term[], metTraits: number[]): PersonQuery {
  const roles = new Map(roleTerms.map((term) => [term.value, term.token]))
  const traits = metTraits.length < traitsCount ? metTraits : null
  return {
    roles: roles.size > 0 ? [...roles.keys()].sort() : null,
    roleTokens: roles.size > 0 ? sorted([...roles.values()]) : null,
    traits,
    storeTokens: sorted(storeTokensOf([...roles.values()], traits)),
  }
}

function storeTokensOf(roleTokens: number[], traits: number[] | null): number[] {
  if (roleTokens.length === 0) return traits?.map(traitsToken) ?? [flagTokens.contacts]
  if (traits === null) return roleTokens
  return roleTokens.flatMap((role) => traits.map((packed) => signatureToken(role, packed)))
}

function sorted(numbers: number[]): number[] {
  return numbers.sort((a, b) => a - b)
}
