import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { temporaryDirectory } from '../../../../../packages/embedded-postgres/test/support.ts'
import { importContacts } from '../../../../src/catalogue/imports/contacts/import-contacts.ts'
import { importStores } from '../../../../src/catalogue/imports/stores/import-stores.ts'
import { checkLedger } from '../../../../src/customers/ledger/check.ts'
import type { Deps } from '../../../../src/operations/deps.ts'
import { withDeps } from './service.ts'

type Settings = Record<string, string>

/** Settings with one keyring for all processes. */
export const usersSettings = { DEMO: '0', DATA_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}` }

const perStore = 10

/** Imports invented contacts, ten per store, and returns their public ids. */
export async function importUsers(settings: Settings, stores: number): Promise<string[]> {
  const domains = Array.from({ length: stores }, (_, store) => `people-${store}.example`)
  const users = domains.flatMap((store_domain) => Array.from({ length: perStore }, (_, i) => userAt(store_domain, i)))
  return withDeps(settings, async (deps) => {
    await importRecords(
      deps,
      importStores,
      domains.map((domain) => ({ domain, name: domain })),
    )
    await importRecords(deps, importContacts, users)
    const { rows } = await deps.db.query<{ key: number }>(
      `select c.store_id * 4096 + c.number as key
       from contacts c
       join stores s on s.id = c.store_id
       where s.mode = 'live'
       order by 1`,
    )
    expect(rows).toHaveLength(users.length)
    return deps.ids.sealMany(
      'contact',
      rows.map(({ key }) => key),
      'live',
    )
  })
}

function userAt(store_domain: string, index: number) {
  return {
    store_domain,
    external_id: `person ${index}`,
    first_name: 'Mara',
    last_name: `Lindqvist ${index}`,
    seniority: 'other',
    emails: [{ email: `mara-${index}@${store_domain}`, status: 'verified', type: 'work', is_primary: true }],
  }
}

async function importRecords(deps: Deps, load: typeof importContacts, records: object[]): Promise<void> {
  const file = join(temporaryDirectory(), 'records.ndjson')
  writeFileSync(file, records.map((record) => JSON.stringify(record)).join('\n'))
  const { rejected } = await load(deps, { file, extendTaxonomy: false })
  expect(rejected).toBe(0)
}

/** Expects that ledger, counters, reveals and exports agree. */
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
