import { isPersonToken, packTraits, signatureToken, traitsToken } from '@storedex/search-index'
import { beforeAll, expect, test } from 'vitest'
import { refreshStoreSummaries } from '../../../src/catalogue/writing/store-summaries.ts'
import { transact } from '../../../src/foundation/db/pool.ts'
import { flagTokens } from '../../../src/search/query/vocabulary.ts'
import { loadTaxonomy } from '../../../src/search/taxonomy/taxonomy.ts'
import { aurora } from '../../support/fixtures.ts'
import { openTestCatalogue, type TestCatalogue } from '../imports/support/test-catalogue.ts'

let catalogue: TestCatalogue
let storeId: number
beforeAll(async () => {
  catalogue = await openTestCatalogue()
  await catalogue.importStores([aurora, { domain: 'lonely.example' }])
  storeId = (await catalogue.store(aurora.domain))!.id
})

const refresh = (ids: number[]) =>
  transact(catalogue.db, (client) => refreshStoreSummaries(client, ids, catalogue.context.clock.now()))

const at = { store_domain: aurora.domain }
const emails = (...statuses: string[]) =>
  statuses.map((status, index) => ({ email: `${status}-${index}@people.example`, status }))

test('a contact import updates summary and tokens of the store, and nothing else of it', async () => {
  const before = (await catalogue.store(aurora.domain))!
  const lonely = await catalogue.store('lonely.example')
  const batch = await catalogue.batch()
  await catalogue.importContacts([
    { ...at, external_id: '1', role: 'marketing', emails: emails('bounced') },
    { ...at, external_id: '2', role: 'founder', seniority: 'executive', emails: emails('verified', 'verified') },
    {
      ...at,
      external_id: '3',
      role: 'marketing',
      emails: emails('verified', 'guessed'),
      phones: [{ phone: '+15550100' }],
    },
    { ...at, external_id: '4', profile_url: 'https://people.example/four' },
  ])

  const { vocabulary } = await loadTaxonomy(catalogue.db)
  const marketing = vocabulary.find('role', 'marketing')!.token
  const founder = vocabulary.find('role', 'founder')!.token
  const none = { seniority: 'other', hasVerifiedEmail: false, hasPhone: false, hasProfile: false } as const
  const [bounced, owner, reachable, profiled] = [
    packTraits(none),
    packTraits({ ...none, seniority: 'executive', hasVerifiedEmail: true }),
    packTraits({ ...none, hasVerifiedEmail: true, hasPhone: true }),
    packTraits({ ...none, hasProfile: true }),
  ]
  expect(await catalogue.store(aurora.domain)).toEqual({
    ...before,
    batch: batch + 1,
    document: {
      ...before.document,
      contacts_summary: {
        total: 4,
        has_revealable_contacts: true,
        verified_email_count: 3,
        roles: ['founder', 'marketing'],
      },
    },
    tokens: [
      ...before.tokens,
      flagTokens.contacts,
      flagTokens.revealableContacts,
      flagTokens.verifiedRevealableContacts,
      marketing,
      founder,
      ...[bounced, owner, reachable, profiled].map(traitsToken),
      signatureToken(marketing, bounced),
      signatureToken(founder, owner),
      signatureToken(marketing, reachable),
    ].sort((a, b) => a - b),
  })
  expect(await catalogue.store('lonely.example')).toEqual(lonely)
})

test('refreshing summaries that are up to date writes nothing', async () => {
  const before = [await catalogue.rows(), await catalogue.batch()]
  expect(await refresh([storeId])).toBe(0)
  expect(await refresh([])).toBe(0)
  expect([await catalogue.rows(), await catalogue.batch()]).toEqual(before)
})

test('a store import keeps the summary and tokens that come from contacts', async () => {
  const before = (await catalogue.store(aurora.domain))!
  await catalogue.importStores([{ domain: aurora.domain, name: 'Renamed', technologies: { theme: { name: 'Craft' } } }])
  const after = (await catalogue.store(aurora.domain))!
  expect(after.document.contacts_summary).toEqual(before.document.contacts_summary)
  expect(after.tokens).toEqual(before.tokens)
})

test('contacts without deliverable channels are counted, but do not make the store match a search for revealable contacts', async () => {
  await catalogue.importContacts([
    { store_domain: 'lonely.example', full_name: 'No Channel' },
    { store_domain: 'lonely.example', external_id: 'b', emails: emails('invalid', 'suppressed', 'bounced', 'guessed') },
  ])
  const { document, tokens } = (await catalogue.store('lonely.example'))!
  expect(document.contacts_summary).toEqual({
    total: 2,
    has_revealable_contacts: false,
    verified_email_count: 0,
    roles: [],
  })
  expect(tokens).toContain(flagTokens.contacts)
  expect(tokens).not.toContain(flagTokens.revealableContacts)
  await catalogue.importContacts([{ store_domain: 'lonely.example', external_id: 'b', emails: emails('unverified') }])
  const reachable = (await catalogue.store('lonely.example'))!.tokens
  expect(reachable).toContain(flagTokens.revealableContacts)
  expect(reachable).not.toContain(flagTokens.verifiedRevealableContacts)
})

test('refreshing a store whose contacts were deleted removes them from summary and tokens', async () => {
  const before = (await catalogue.store(aurora.domain))!
  await catalogue.db.query('delete from contacts where store_id = $1', [storeId])
  expect(await refresh([storeId])).toBe(1)
  const { document, tokens } = (await catalogue.store(aurora.domain))!
  expect(document.contacts_summary).toEqual({
    total: 0,
    has_revealable_contacts: false,
    verified_email_count: 0,
    roles: [],
  })
  const { vocabulary } = await loadTaxonomy(catalogue.db)
  const roles = ['founder', 'marketing'].map((role) => vocabulary.find('role', role)!.token)
  const flags: number[] = Object.values(flagTokens)
  expect(tokens).toEqual(
    before.tokens.filter((token) => !isPersonToken(token) && !roles.includes(token) && !flags.includes(token)),
  )
})
