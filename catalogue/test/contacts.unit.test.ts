import { seniorities } from '@storedex/search-index'
import { describe, expect, test } from 'vitest'
import { isRevealable } from '../../server/src/foundation/encryption/contact-facts.ts'
import { normalizeEmail } from '../../server/src/foundation/kernel/channels/email.ts'
import { normalizePhone } from '../../server/src/foundation/kernel/channels/phone.ts'
import { normalizeProfile } from '../../server/src/foundation/kernel/channels/profile.ts'
import { demoContacts } from '../build/demo/contacts.ts'
import { type StoreRecord, toNdjson } from '../build/records.ts'
import { sandboxContacts } from '../build/sandbox/contacts.ts'
import { readFacet } from '../build/taxonomy/files.ts'
import {
  readCatalogueRecords,
  readCatalogueText,
  readShippedPeople,
  type ShippedPerson,
} from './support/shipped-catalogue.ts'

const demo = readShippedPeople('demo/contacts.ndjson')
const sandbox = readShippedPeople('sandbox/contacts.ndjson')

describe.each([
  ['the demonstration', 'demo', demo],
  ['the sandbox', 'sandbox', sandbox],
])('every contact of %s', (_, folder, people) => {
  test('works at one of its invented shops and has a unique key', () => {
    const hosts = new Set(readCatalogueRecords<StoreRecord>(`${folder}/stores.ndjson`).map(({ domain }) => domain))
    expect(people.filter(({ record }) => !hosts.has(record.store_domain))).toEqual([])
    const keys = people.map(({ record }) => `${record.store_domain} ${record.external_id}`)
    expect(new Set(keys).size).toBe(keys.length)
  })

  test('has only hosts that nobody can register and fictional phone numbers', () => {
    const hosts = people.flatMap(({ facts }) => [
      ...facts.emails.map(({ email }) => email.slice(email.lastIndexOf('@') + 1)),
      ...(facts.profile_url ? [new URL(facts.profile_url).hostname] : []),
    ])
    expect(hosts.filter((host) => !host.toLowerCase().endsWith('.example'))).toEqual([])
    const phones = people.flatMap(({ facts }) => facts.phones.map(({ phone }) => phone.replace(/ ext\. \d$/, '')))
    expect(phones.filter((phone) => !/^\+1\d{3}55501\d\d$/.test(normalizePhone(phone, null)!))).toEqual([])
  })

  test('shares no channel with another contact', () => {
    const channels = people.flatMap(({ facts }) => [
      ...facts.emails.map(({ email }) => normalizeEmail(email)),
      ...facts.phones.map(({ phone }) => normalizePhone(phone, null)),
      ...(facts.profile_url ? [normalizeProfile(facts.profile_url)] : []),
    ])
    expect(channels.length).toBeGreaterThan(100)
    const seen = new Set<string | null>()
    expect(channels.filter((channel) => seen.size === seen.add(channel).size)).toEqual([])
  })
})

test('the generators produce the committed contact files byte for byte', () => {
  // Compared as booleans, because a mismatch would print megabytes of text.
  expect(toNdjson(demoContacts()) === readCatalogueText('demo/contacts.ndjson')).toBe(true)
  expect(toNdjson(sandboxContacts()) === readCatalogueText('sandbox/contacts.ndjson')).toBe(true)
})

describe('the demonstration', () => {
  const shareOf = (matches: (person: ShippedPerson) => boolean) => demo.filter(matches).length / demo.length

  test('has about 6,000 people, of every role and seniority, at most of its shops', () => {
    expect(Math.round(demo.length / 1_000)).toBe(6)
    expect(new Set(demo.map(({ facts }) => facts.role))).toEqual(
      new Set([null, ...readFacet('roles').map(({ value }) => value)]),
    )
    expect(new Set(demo.map(({ facts }) => facts.seniority))).toEqual(new Set(seniorities))
    const teams = new Map<string, number>()
    for (const { record } of demo) teams.set(record.store_domain, (teams.get(record.store_domain) ?? 0) + 1)
    expect(teams.size).toBeGreaterThan(1_500)
    expect(teams.size).toBeLessThan(2_000)
    expect(Math.max(...teams.values())).toBe(8)
  })

  test('has channels for most people, and some people without a deliverable one', () => {
    expect(shareOf(({ facts }) => facts.emails.length > 0)).toBeCloseTo(0.7, 1)
    expect(shareOf(({ facts }) => facts.phones.length > 0)).toBeCloseTo(0.35, 1)
    expect(shareOf(({ facts }) => facts.profile_url !== null)).toBeCloseTo(0.5, 1)
    expect(shareOf(({ facts }) => !isRevealable(facts, 'all'))).toBeCloseTo(0.08, 1)
  })

  test('has names and titles in many scripts', () => {
    const scripts = [
      'Latin',
      'Cyrillic',
      'Greek',
      'Han',
      'Hiragana',
      'Katakana',
      'Hangul',
      'Arabic',
      'Hebrew',
      'Devanagari',
      'Thai',
    ]
    const text = demo.map(({ facts }) => [facts.first_name, facts.last_name, facts.title].join(' ')).join('\n')
    expect(scripts.filter((script) => !new RegExp(`\\p{Script=${script}}`, 'u').test(text))).toEqual([])
  })

  test('has the revealable contact of the documentation and three colleagues', () => {
    const [mara, ...colleagues] = demo.filter(({ record }) => record.store_domain === 'aurora-candles.example')
    expect(mara!.facts).toMatchObject({
      first_name: 'Mara',
      last_name: 'Lindqvist',
      title: 'Head of Marketing',
      role: 'marketing',
      seniority: 'decision_maker',
      emails: [{ email: 'mara@aurora-candles.example', status: 'verified', type: 'work', is_primary: true }],
    })
    expect(colleagues.map(({ facts }) => isRevealable(facts, 'all'))).toEqual([true, true, false])
  })
})
