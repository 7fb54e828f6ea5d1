import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { transact } from '../../src/db/pool.ts'
import { refreshStoreSummaries } from '../../src/imports/refresh.ts'
import { flagTokens } from '../../src/search/vocabulary.ts'
import { loadTaxonomy } from '../../src/taxonomy/taxonomy.ts'
import { aurora } from '../support/aurora.ts'
import { openWorld, type World } from './world.ts'

let world: World
let storeId: number
beforeAll(async () => {
  world = await openWorld()
  await world.importRecords([aurora, { domain: 'lonely.example' }])
  storeId = (await world.store(aurora.domain))!.id
})

async function putContact(number: number, role: string | null, revealable: boolean, verifiedEmails: number) {
  await world.db.query(
    `insert into contacts (store_id, number, external_key, role, seniority, has_verified_email, has_phone, has_profile,
       revealable, verified_emails, sealed)
     values ($1, $2, $3, $4, 'other', $5, false, false, $6, $7, $8)`,
    [storeId, number, randomBytes(16), role, verifiedEmails > 0, revealable, verifiedEmails, randomBytes(32)],
  )
}

const refresh = (ids: number[]) => transact(world.db, (client) => refreshStoreSummaries(client, ids))

test('a store sums up its contacts, in its document and its tokens, and keeps all else', async () => {
  const before = (await world.store(aurora.domain))!
  const batch = await world.batch()
  await putContact(0, 'marketing', false, 0)
  await putContact(1, 'founder', true, 2)
  await putContact(2, 'marketing', true, 1)
  await putContact(3, null, false, 0)
  const lonely = (await world.store('lonely.example'))!
  expect(await refresh([storeId, lonely.id])).toBe(1)

  const { vocabulary } = await loadTaxonomy(world.db)
  const row = (await world.store(aurora.domain))!
  expect(row).toEqual({
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
      flagTokens.revealableContacts,
      vocabulary.find('role', 'marketing')!.token,
      vocabulary.find('role', 'founder')!.token,
    ].sort((a, b) => a - b),
  })
  expect(await world.store('lonely.example')).toEqual(lonely)
})

test('where nothing differs, nothing is written', async () => {
  const before = [await world.rows(), await world.batch()]
  expect(await refresh([storeId])).toBe(0)
  expect(await refresh([])).toBe(0)
  expect([await world.rows(), await world.batch()]).toEqual(before)
})

test('an import of the store leaves the summary alone', async () => {
  const { document } = (await world.store(aurora.domain))!
  await world.importRecords([{ domain: aurora.domain, name: 'Renamed', technologies: null }])
  const row = (await world.store(aurora.domain))!
  expect(row.document.contacts_summary).toEqual(document.contacts_summary)
  expect(row.tokens).toContain(flagTokens.revealableContacts)
})

test('a store that lost its contacts says so', async () => {
  await world.db.query('delete from contacts')
  expect(await refresh([storeId])).toBe(1)
  const row = (await world.store(aurora.domain))!
  expect(row.document.contacts_summary).toEqual({
    total: 0,
    has_revealable_contacts: false,
    verified_email_count: 0,
    roles: [],
  })
  expect(row.tokens).not.toContain(flagTokens.revealableContacts)
})
