import { packTraits, type Seniority, signatureToken, traitsToken } from '@storedex/search-index'
import { describe, expect, test } from 'vitest'
import { Refusal } from '../../../src/foundation/kernel/errors.ts'
import type { ContactPersonFilters } from '../../../src/search/query/filters.ts'
import { narrowsContacts, normalizePersonFilters, normalizeRoles } from '../../../src/search/query/person-query.ts'
import { flagTokens } from '../../../src/search/query/vocabulary.ts'
import { vocabularyOf } from '../support/random-catalogue.ts'

const vocabulary = vocabularyOf({
  role: ['founder', 'marketing', 'ceo'],
  seniority: ['executive', 'decision_maker', 'other'],
})
const normalize = (filters: ContactPersonFilters) => normalizePersonFilters(vocabulary, filters)
const roleToken = (role: string) => vocabulary.find('role', role)!.token
const traits = (seniority: Seniority, hasVerifiedEmail: boolean, hasPhone: boolean, hasProfile: boolean) =>
  packTraits({ seniority, hasVerifiedEmail, hasPhone, hasProfile })

describe('the normal form', () => {
  test('of empty filters matches all contacts, at every store with a contact', () => {
    const everybody = { roles: null, roleTokens: null, traits: null, storeTokens: [flagTokens.contacts] }
    expect(normalize({})).toEqual(everybody)
    expect(normalize({ roles_any: [], seniority_any: [] })).toEqual(everybody)
    expect(normalize({ seniority_any: ['other', 'executive', 'decision_maker'] })).toEqual(everybody)
    expect(normalizeRoles(vocabulary, undefined, 'contact_roles')).toEqual(everybody)
  })

  test('has canonical roles, sorted and distinct', () => {
    const roleTokens = [roleToken('founder'), roleToken('marketing')]
    const expected = { roles: ['founder', 'marketing'], roleTokens, traits: null }
    expect(normalize({ roles_any: ['Marketing', 'FOUNDER', 'marketing'] })).toEqual({
      ...expected,
      storeTokens: roleTokens,
    })
    expect(normalizeRoles(vocabulary, ['MARKETING', 'founder'], 'contact_roles')).toMatchObject(expected)
  })

  test('has the traits that meet every condition', () => {
    const met = [
      traits('executive', true, true, true),
      traits('executive', true, true, false),
      traits('other', true, true, true),
      traits('other', true, true, false),
    ].sort((a, b) => a - b)
    const query = normalize({ seniority_any: ['Other', 'EXECUTIVE'], has_verified_email: true, has_phone: true })
    expect(query).toEqual({ roles: null, roleTokens: null, traits: met, storeTokens: met.map(traitsToken) })
  })

  test('requires role and traits of one contact', () => {
    const met = [0, 1].map((profile) => traits('decision_maker', false, false, profile === 1))
    const query = normalize({
      roles_any: ['ceo', 'founder'],
      seniority_any: ['decision_maker'],
      has_verified_email: false,
      has_phone: false,
    })
    expect(query.storeTokens).toEqual(
      ['founder', 'ceo'].flatMap((role) => met.map((packed) => signatureToken(roleToken(role), packed))),
    )
  })
})

test.each([
  ['person.roles_any[1]', '"boss" is not a known role', { roles_any: ['ceo', 'boss'] }],
  ['person.seniority_any[0]', '"exec" is not a known seniority; nearest: executive', { seniority_any: ['exec'] }],
])('an unknown word is refused at %s', (param, sentence, filters) => {
  const refusal = (() => {
    try {
      normalize(filters)
    } catch (error) {
      return error
    }
  })()
  expect(refusal).toBeInstanceOf(Refusal)
  expect(refusal).toMatchObject({ code: 'invalid_filter_value', param, message: expect.stringContaining(sentence) })
})

test.each([
  [false, {}],
  [false, { has_phone: false }],
  [false, { has_phone: false, has_profile: false, has_verified_email: false }],
  [false, { seniority_any: ['executive', 'decision_maker', 'other'], has_profile: false }],
  [true, { roles_any: ['ceo'] }],
  [true, { roles_any: ['ceo'], has_phone: false }],
  [true, { seniority_any: ['other', 'executive'] }],
  [true, { seniority_any: ['other'], has_phone: false }],
  [true, { has_phone: true }],
  [true, { has_profile: true, has_phone: false }],
  [true, { has_verified_email: true }],
] satisfies [boolean, ContactPersonFilters][])('whether a query narrows the people: %s for %j', (expected, filters) => {
  expect(narrowsContacts(normalize(filters))).toBe(expected)
})
