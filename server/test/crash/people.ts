import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { importContacts } from '../../src/imports/import-contacts.ts'
import { importStores } from '../../src/imports/import-stores.ts'
import { checkLedger } from '../../src/usage/ledger-check.ts'
import { temporaryDirectory } from '../db/embedded-support.ts'
import { mustAsk } from './caller.ts'
import { subscribe, withDeps } from './service.ts'

type Settings = Record<string, string>

/** Settings under which every process can open what another one sealed. */
export const peopleSettings = { DEMO: '0', DATA_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}` }

const perStore = 10

/** Imports invented people, ten a store, and tells their public ids. */
export async function importPeople(settings: Settings, api: string, stores: number): Promise<string[]> {
  const domains = Array.from({ length: stores }, (_, store) => `people-${store}.example`)
  await importRecords(
    settings,
    importStores,
    domains.map((domain) => ({ domain, name: domain })),
  )
  const people = domains.flatMap((store_domain) =>
    Array.from({ length: perStore }, (_, i) => personAt(store_domain, i)),
  )
  await importRecords(settings, importContacts, people)

  const reader = await subscribe(settings)
  const ids: string[] = []
  let cursor: unknown = null
  do {
    const body = { person: { has_verified_email: true }, max_contacts_per_store: perStore, limit: 100, cursor }
    const page = (await mustAsk(api, reader.live, '/contacts/search', body)).body
    ids.push(...(page.data as { id: string }[]).map(({ id }) => id))
    cursor = page.next_cursor
  } while (cursor !== null)
  expect(new Set(ids).size).toBe(people.length)
  return ids
}

function personAt(store_domain: string, index: number) {
  return {
    store_domain,
    external_id: `person ${index}`,
    first_name: 'Mara',
    last_name: `Lindqvist ${index}`,
    seniority: 'other',
    emails: [{ email: `mara-${index}@${store_domain}`, status: 'verified', type: 'work', is_primary: true }],
  }
}

async function importRecords(settings: Settings, load: typeof importContacts, records: object[]): Promise<void> {
  const file = join(temporaryDirectory(), 'records.ndjson')
  writeFileSync(file, records.map((record) => JSON.stringify(record)).join('\n'))
  const { rejected } = await withDeps(settings, (deps) => load(deps, { file, extendTaxonomy: false }))
  expect(rejected).toBe(0)
}

/** Ledger, counters, reveals and exports agree. */
export async function expectBalancedLedger(settings: Settings): Promise<void> {
  const found = await withDeps(settings, (deps) =>
    checkLedger(deps, async (_totals, differences) => {
      const all: object[] = []
      for await (const some of differences) all.push(...some)
      return all
    }),
  )
  expect(found).toEqual([])
}
