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

/** Checks and normalizes filters for contacts. Throws an `Refusal` with the parameter of the first error. */
export function normalizePersonFilters(vocabulary: Vocabulary, filters: ContactPersonFilters): PersonQuery {
  const roles = resolveFilterValues(vocabulary, 'role', filters.roles_any, 'person.roles_any')
  const wanted = resolveFilterValues(vocabulary, 'seniority', filters.seniority_any, 'person.seniority_any').map(
    (term) => term.value,
  )
  const meets = (packed: number) => {
    const traits = unpackTraits(packed)
    return (
      (wanted.length === 0 || wanted.includes(traits.seniority)) &&
      (filters.has_verified_email ?? traits.hasVerifiedEmail) === traits.hasVerifiedEmail &&
      (filters.has_phone ?? traits.hasPhone) === traits.hasPhone &&
      (filters.has_profile ?? traits.hasProfile) === traits.hasProfile
    )
  }
  return personQuery(roles, allTraits.filter(meets))
}

/** Matches contacts in any of the roles given by parameter `param`; all contacts if there are none. */
export function normalizeRoles(vocabulary: Vocabulary, words: string[] | undefined, param: string): PersonQuery {
  return personQuery(resolveFilterValues(vocabulary, 'role', words, param), allTraits)
}

/**
 * Whether a query selects part of the contacts: by role, seniority or a required channel. Requiring the absence of a channel
 * does not count: contacts without any channel, of every seniority, still match.
 */
export function narrowsContacts({ roles, traits }: PersonQuery): boolean {
  return roles !== null || (traits !== null && !bareTraits.every((packed) => traits.includes(packed)))
}

const allTraits = Array.from({ length: traitsCount }, (_, packed) => packed)

/** Traits without any channel, one for each seniority. */
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
