import { describe, expect, test } from 'vitest'
import {
  type ContactFacts,
  deliverableEmails,
  emailStatuses,
  emailTypes,
  isRevealable,
  phoneTypes,
  traitsOf,
} from '../../server/src/foundation/encryption/contact-facts.ts'
import type { StoreRecord } from '../build/records.ts'
import { readFacet } from '../build/taxonomy/files.ts'
import { readCatalogueRecords, readCatalogueText, readShippedPeople } from './support/shipped-catalogue.ts'

/** One contact in the table of the guide. */
interface GuideRow {
  shop: string
  /** The title; in the shop `titles` the first name. */
  name: string
  delivered: string
}

const people = readShippedPeople('sandbox/contacts.ndjson').map(({ record, facts }, place) => ({
  shop: record.store_domain.replace(/^sandbox-contacts-(.*)\.example$/, '$1'),
  facts,
  place,
}))
const shops = readCatalogueRecords<StoreRecord>('sandbox/stores.ndjson')
  .filter(({ technologies }) => technologies?.apps.includes('zendesk'))
  .toSorted((a, b) => (b.lead_fit_score ?? -1) - (a.lead_fit_score ?? -1))
  .map(({ domain }) => domain)

describe('the guide of the sandbox', () => {
  const guide = readGuide()

  test('lists the shops that its filter finds, in the order of results', () => {
    const listed = [...new Set(guide.map(({ shop }) => `sandbox-contacts-${shop}.example`))]
    expect([...listed, 'sandbox-apps-many.example']).toEqual(shops)
    expect(people.filter(({ shop }) => shop === 'nobody')).toEqual([])
  })

  test('lists all contacts in the order of results, with the channels that a reveal delivers', () => {
    const expected = [...new Set(guide.map(({ shop }) => shop))].flatMap((shop) =>
      people
        .filter((person) => person.shop === shop)
        .toSorted((a, b) => placeOf(a.facts) - placeOf(b.facts) || a.place - b.place)
        .map(({ facts }) => ({
          shop,
          name: shop === 'titles' ? facts.first_name : facts.title,
          delivered: deliveredOf(facts),
        })),
    )
    expect(guide.filter(({ shop }) => shop !== 'nobody')).toEqual(expected)
  })

  test('states the right numbers of people and shops', () => {
    const [, peopleCount, shopCount] = /(\d+) people work at (\d+) shops/.exec(readCatalogueText('sandbox/README.md'))!
    expect([Number(peopleCount), Number(shopCount)]).toEqual([
      people.length,
      new Set(people.map(({ shop }) => shop)).size,
    ])
  })
})

describe('reveals of the sandbox', () => {
  const emails = people.flatMap(({ facts }) => facts.emails)

  test('cover every status, type and role', () => {
    expect(new Set(emails.map(({ status }) => status))).toEqual(new Set(emailStatuses))
    expect(new Set(emails.map(({ type }) => type))).toEqual(new Set(emailTypes))
    expect(new Set(people.flatMap(({ facts }) => facts.phones.map(({ type }) => type)))).toEqual(new Set(phoneTypes))
    expect(new Set(people.map(({ facts }) => facts.role))).toEqual(
      new Set([null, ...readFacet('roles').map(({ value }) => value)]),
    )
  })

  test('deliver another primary email if the primary one is not deliverable', () => {
    const primaryOf = (title: string, policy: 'all' | 'verified') => {
      const { facts } = people.find((person) => person.shop === 'emails' && person.facts.title === title)!
      return deliverableEmails(facts, policy)
        .find(({ is_primary }) => is_primary)!
        .email.split('@')[0]
    }
    expect(primaryOf('Primary bounced', 'all')).toBe('primary-bounced-2')
    expect(primaryOf('Primary suppressed', 'all')).toBe('primary-suppressed-3')
    expect(primaryOf('Primary suppressed', 'verified')).toBe('primary-suppressed-4')
    expect(primaryOf('Primary unverified', 'all')).toBe('primary-unverified')
    expect(primaryOf('Primary unverified', 'verified')).toBe('primary-unverified-2')
    expect(primaryOf('Two primaries', 'all')).toBe('two-primaries-2')
  })

  test('deliver contacts without verified emails only under the policy "all"', () => {
    const unverified = people.filter(({ shop }) => shop === 'unverified')
    expect(unverified.map(({ facts }) => [isRevealable(facts, 'all'), isRevealable(facts, 'verified')])).toEqual(
      unverified.map(() => [true, false]),
    )
    expect(unverified).toHaveLength(3)
  })
})

/** Orders by seniority, then by verified email: the traits without the lowest two bits. */
function placeOf(facts: ContactFacts): number {
  return traitsOf(facts) >> 2
}

function deliveredOf(facts: ContactFacts): string {
  if (!isRevealable(facts, 'all')) return '– – –'
  return `${deliverableEmails(facts, 'all').length} ${facts.phones.length} ${facts.profile_url ? 'yes' : 'no'}`
}

function readGuide(): GuideRow[] {
  const table = readCatalogueText('sandbox/README.md').split('| shop ')[1]!.split('\n\n')[0]!
  return table
    .split('\n')
    .slice(2)
    .flatMap((line) => {
      const [, shop, names, ...delivered] = line.split('|').map((cell) => cell.trim())
      return namesIn(names!).map((name) => ({
        shop: shop!.replaceAll('`', ''),
        name,
        delivered: delivered.slice(0, 3).join(' '),
      }))
    })
}

/** Splits a cell: `A, B`, or a range such as `Person 01 to Person 10`. */
function namesIn(cell: string): string[] {
  const range = /^(.*) (\d\d) to \1 (\d\d)$/.exec(cell)
  if (!range) return cell.split(', ')
  const [first, last] = [Number(range[2]), Number(range[3])]
  return Array.from({ length: last - first + 1 }, (_, index) => `${range[1]} ${String(first + index).padStart(2, '0')}`)
}
