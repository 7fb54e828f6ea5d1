import { packTraits, signatureToken, traitsToken } from '@storedex/search-index'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { proofRuns } from '../../../../../bin/tests/proof-runs.ts'
import { refreshStoreSummaries } from '../../../../src/catalogue/writing/store-summaries.ts'
import { transact } from '../../../../src/foundation/db/pool.ts'
import {
  type ContactFacts,
  deliverableEmails,
  isRevealable,
} from '../../../../src/foundation/encryption/contact-facts.ts'
import { flagTokens, type Vocabulary } from '../../../../src/search/query/vocabulary.ts'
import { loadTaxonomy } from '../../../../src/search/taxonomy/taxonomy.ts'
import { applyToModel, type ContactModel, type ModelRecord } from '../support/contact-model.ts'
import { expectedColumns } from '../support/store-model.ts'
import { readStoredPeople, type StoredPerson } from '../support/stored-people.ts'
import { openTestCatalogue, type TestCatalogue } from '../support/test-catalogue.ts'

let catalogue: TestCatalogue
let vocabulary: Vocabulary
beforeAll(async () => {
  catalogue = await openTestCatalogue()
  vocabulary = (await loadTaxonomy(catalogue.db)).vocabulary
})

const domains = ['a.example', 'b.example', 'c.example']
const hosts = new Map(domains.flatMap((domain) => [domain, `alias.${domain}`].map((host) => [host, domain])))
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null })
const flag = { is_primary: fc.boolean() }

const contact = fc.record(
  {
    store_domain: fc.constantFrom(...hosts.keys(), 'unknown.example'),
    external_id: orNull(fc.constantFrom('1', '2')),
    first_name: orNull(fc.constantFrom('Ana', 'Bo')),
    last_name: orNull(fc.constantFrom('Öz', "'t Hooft")),
    full_name: orNull(fc.constantFrom('Ana Öz', '王 小明')),
    title: orNull(fc.constantFrom('Owner', 'Head of "R&D" \\')),
    role: orNull(fc.constantFrom('founder', 'marketing', 'sales')),
    seniority: orNull(fc.constantFrom('executive', 'decision_maker', 'other')),
    profile_url: orNull(fc.constantFrom('https://people.example/1', 'http://people.example/2')),
    emails: orNull(
      fc.array(
        fc.record(
          {
            email: fc.constantFrom('a@x.example', 'A@x.example', 'b@x.example', 'c@y.example'),
            status: fc.constantFrom('verified', 'accept_all', 'guessed', 'bounced'),
            type: fc.constantFrom('work', 'role'),
            ...flag,
          },
          { requiredKeys: ['email'] },
        ),
        { maxLength: 4 },
      ),
    ),
    phones: orNull(
      fc.array(
        fc.record(
          { phone: fc.constantFrom('+15550100', '+1 555 0100', '+15550199'), type: fc.constantFrom('mobile'), ...flag },
          { requiredKeys: ['phone'] },
        ),
        { maxLength: 3 },
      ),
    ),
  },
  { requiredKeys: ['store_domain'] },
)

const store = fc.record(
  {
    domain: fc.constantFrom(...domains),
    country: orNull(fc.constantFrom('DE', 'FR')),
    name: orNull(fc.constantFrom('One', 'Two')),
    platform_plus: fc.boolean(),
    technologies: orNull(fc.constantFrom({ apps: ['klaviyo'] }, { apps: ['loox'], pixels: ['meta_pixel'] })),
  },
  { requiredKeys: ['domain'] },
)

type Step =
  | { kind: 'contacts'; records: ModelRecord[] }
  | { kind: 'stores'; records: object[] }
  | { kind: 'erasure'; pick: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('contacts' as const),
      records: fc.array(contact, { maxLength: 10 }) as fc.Arbitrary<ModelRecord[]>,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('stores' as const), records: fc.array(store, { maxLength: 4 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('erasure' as const), pick: fc.nat(20) }) },
)

test('imports of random stores and contacts match a simple model of the rules, and the store summaries match too', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 7 }), async (steps) => {
      await catalogue.db.query('truncate stores, store_domains, contacts')
      await catalogue.importStores(domains.map((domain) => ({ domain, aliases: [`alias.${domain}`] })))
      const model: ContactModel = new Map()
      const given = new Map<string, string>()
      for (const step of steps) {
        if (step.kind === 'stores') await catalogue.importStores(step.records)
        else if (step.kind === 'contacts') await importAndCount(model, step.records)
        else await erase(model, step.pick)
        await expectNumbersGivenOnce(given)
      }
      const people = await readStoredPeople(catalogue)
      expect(people.map(({ domain, facts }) => ({ domain, facts })).sort(byText)).toEqual(
        [...model.values()].sort(byText),
      )
      for (const person of people) expectColumnsOf(person)
      await expectSummariesOf(people)
    }),
    { numRuns: proofRuns(30) },
  )
})

async function importAndCount(model: ContactModel, records: ModelRecord[]): Promise<void> {
  const [before, batch] = [structuredClone(model), await catalogue.batch()]
  const rejected = applyToModel(model, hosts, records)
  const result = await catalogue.importContacts(records)
  expect(result).toMatchObject({ read: records.length, rejected, inserted: model.size - before.size })
  expect(result.inserted + result.updated + result.unchanged + result.rejected).toBe(records.length)
  const isChanged = [...model].some(([key, person]) => JSON.stringify(before.get(key)) !== JSON.stringify(person))
  expect(await catalogue.batch()).toBe(isChanged ? batch + 1 : batch)
}

async function erase(model: ContactModel, pick: number): Promise<void> {
  const people = await readStoredPeople(catalogue)
  const person = people[pick % Math.max(1, people.length)]
  if (!person) return
  for (const [key, other] of model)
    if (JSON.stringify(other) === JSON.stringify({ domain: person.domain, facts: person.facts })) model.delete(key)
  await transact(catalogue.db, async (client) => {
    // Several contacts may differ only in their keys.
    for (const { storeId, number, domain, facts } of people)
      if (JSON.stringify([domain, facts]) === JSON.stringify([person.domain, person.facts]))
        await client.query('delete from contacts where store_id = $1 and number = $2', [storeId, number])
    await refreshStoreSummaries(client, [person.storeId], catalogue.context.clock.now())
  })
}

/** Checks that no number is used by two contacts. `given` has the import key of each used number. */
async function expectNumbersGivenOnce(given: Map<string, string>): Promise<void> {
  const { rows } = await catalogue.db.query<{ place: string; key: string }>(
    `select store_id || ' ' || number as place, encode(external_key, 'hex') as key from contacts`,
  )
  for (const { place, key } of rows) {
    expect(given.get(place) ?? key).toBe(key)
    given.set(place, key)
  }
}

function expectColumnsOf({ id, facts, preview, role, ...columns }: StoredPerson): void {
  const hasVerifiedEmail = deliverableEmails(facts, 'verified').length > 0
  const [hasPhone, hasProfile] = [facts.phones.length > 0, facts.profile_url !== null]
  expect(role).toBe(facts.role)
  expect(columns).toMatchObject({
    traits: packTraits({ seniority: facts.seniority, hasVerifiedEmail, hasPhone, hasProfile }),
    revealable: isRevealable(facts, 'all'),
    verified_revealable: isRevealable(facts, 'verified'),
    verified_emails: facts.emails.filter((email) => email.status === 'verified').length,
  })
  expect(preview).toEqual({
    id,
    object: 'contact_preview',
    first_name: facts.first_name,
    last_name_obfuscated: facts.last_name && (facts.last_name === 'Öz' ? 'Ö***' : 't***'),
    role: facts.role,
    seniority: facts.seniority,
    title: facts.title,
    has_verified_email: hasVerifiedEmail,
    has_phone: hasPhone,
    has_profile: hasProfile,
    revealed: false,
  })
}

/** Compares summary and tokens of every store with its contacts. */
async function expectSummariesOf(people: StoredPerson[]): Promise<void> {
  for (const { id, document, tokens, active_ads } of await catalogue.rows()) {
    const here = people.filter(({ storeId }) => storeId === id)
    const roles = here.flatMap(({ role }) => role ?? [])
    expect(document.contacts_summary).toEqual({
      total: here.length,
      has_revealable_contacts: here.some(({ facts }) => isRevealable(facts, 'all')),
      verified_email_count: here.flatMap(({ facts }) => verifiedOf(facts)).length,
      roles: [...new Set(roles)].sort(),
    })
    const roleTokens = roles.map((role) => vocabulary.find('role', role)!.token)
    const own = await expectedColumns(catalogue.db, { ...document, active_ads })
    const expected = new Set([
      ...own.tokens,
      ...roleTokens,
      ...here.map(({ traits }) => traitsToken(traits)),
      ...here.flatMap(({ role, traits }) =>
        role ? [signatureToken(vocabulary.find('role', role)!.token, traits)] : [],
      ),
      ...(here.length > 0 ? [flagTokens.contacts] : []),
      ...(here.some(({ facts }) => isRevealable(facts, 'all')) ? [flagTokens.revealableContacts] : []),
      ...(here.some(({ facts }) => isRevealable(facts, 'verified')) ? [flagTokens.verifiedRevealableContacts] : []),
    ])
    expect(tokens).toEqual([...expected].sort((a, b) => a - b))
  }
}

const verifiedOf = ({ emails }: ContactFacts) => emails.filter(({ status }) => status === 'verified')

function byText(a: object, b: object): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1
}
