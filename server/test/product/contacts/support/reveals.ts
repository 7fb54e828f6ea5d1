import { Readable } from 'node:stream'
import { importContacts } from '../../../../src/catalogue/imports/contacts/import-contacts.ts'
import { importStores } from '../../../../src/catalogue/imports/stores/import-stores.ts'
import { contactKey, type Mode } from '../../../../src/foundation/kernel/ids.ts'
import type { Clock } from '../../../../src/foundation/kernel/time.ts'
import type { Config } from '../../../../src/operations/config.ts'
import { type TestApp, type TestKey, waitForSearch } from '../../../support/app.ts'
import { createClient, type Json, type TestClient, type TestReply } from '../../../support/client.ts'
import { openTestDeps, serveTestDeps } from '../../../support/deps.ts'

/** Request limits that tests of reveals never reach. */
export const generous = { requests_per_minute: 100_000, requests_per_day: 100_000 }

/** Invented people by first name, one for each outcome of a reveal. */
export const people: Record<string, object> = {
  Mara: {
    last_name: 'Lindqvist',
    title: 'Head of Marketing',
    role: 'marketing',
    seniority: 'decision_maker',
    profile_url: 'https://people.example/mara-lindqvist',
    emails: [
      { email: 'mara@first-shop.example', status: 'verified', type: 'work', is_primary: true },
      { email: 'mara.l@post.example', status: 'unverified', type: 'personal' },
      { email: 'mara.old@first-shop.example', status: 'bounced', type: 'work' },
    ],
    phones: [
      { phone: '+1 202-555-0143', type: 'office', is_primary: true },
      { phone: '+1 202-555-0144', type: 'mobile' },
    ],
  },
  Ines: {
    last_name: 'Ferreira',
    full_name: 'Dr. Ines Ferreira',
    seniority: 'executive',
    emails: [
      { email: 'ines.guess@first-shop.example', status: 'guessed', is_primary: true },
      { email: 'ines@first-shop.example', status: 'accept_all' },
      { email: 'ines@post.example', status: 'unknown' },
    ],
  },
  Tomas: { phones: [{ phone: '+1 202-555-0145' }] },
  Yuki: { last_name: '山田', profile_url: 'https://people.example/yuki' },
  Bruno: {
    emails: [
      { email: 'bruno@first-shop.example', status: 'bounced' },
      { email: 'bruno.i@first-shop.example', status: 'invalid' },
      { email: 'bruno.s@first-shop.example', status: 'suppressed' },
    ],
  },
  Nobody: { last_name: 'Without' },
}

export const firstShop = 'first-shop.example'

/** Imports `people` at one store. */
export async function addPeople(app: TestApp, mode: Mode = 'live'): Promise<void> {
  await importInto(app, mode, importStores, [{ domain: firstShop, name: 'First Shop', country: 'DE' }])
  const records = Object.entries(people).map(([name, person]) => ({
    store_domain: firstShop,
    external_id: name,
    first_name: name,
    ...person,
  }))
  await importInto(app, mode, importContacts, records)
}

/** Imports `count` people, ten per store, and returns their ids in order. */
export async function addCrowd(app: TestApp, count: number): Promise<string[]> {
  const storeOf = (index: number) => `crowd-${Math.floor(index / 10)}.example`
  const indexes = Array.from({ length: count }, (_, index) => index)
  await app.importStores([...new Set(indexes.map(storeOf))].map((domain) => ({ domain, name: domain })))
  await app.importContacts(
    indexes.map((index) => ({
      store_domain: storeOf(index),
      external_id: `person-${index}`,
      first_name: `Person ${index}`,
      emails: [{ email: `person-${index}@crowd.example`, status: 'verified' }],
    })),
  )
  const ids = await idsByFirstName(await app.key({ limits: generous }))
  return indexes.map((index) => ids[`Person ${index}`]!)
}

async function importInto(app: TestApp, mode: Mode, importFile: typeof importStores, records: object[]): Promise<void> {
  const stdin = Readable.from([records.map((record) => JSON.stringify(record)).join('\n')])
  const { rejected } = await importFile(app.operator, { file: '-', stdin, mode, extendTaxonomy: false })
  if (rejected > 0) throw new Error(`${rejected} records were rejected`)
  await waitForSearch(app.deps)
}

/** The public ids of all contacts, from previews. */
export async function idsByFirstName(key: TestKey): Promise<Record<string, string>> {
  const ids: Record<string, string> = {}
  let cursor: string | null = null
  do {
    const { body }: TestReply = await key.post('/contacts/search', { max_contacts_per_store: 10, limit: 100, cursor })
    for (const preview of body.data) ids[preview.first_name] = preview.id
    cursor = body.next_cursor
  } while (cursor !== null)
  return ids
}

/** Starts another server on the same database, with a pool of its own. */
export async function startSecondServer(
  app: TestApp,
  settings: Partial<Config> = {},
  clock: Clock = app.clock,
): Promise<(key: TestKey) => TestClient> {
  const deps = await openTestDeps({ ...app.deps.config, ...settings }, { applicationName: 'second test server', clock })
  const url = await serveTestDeps(deps)
  return (key) => createClient(url, key.secret)
}

export function reveal(caller: TestClient, ids: readonly unknown[], idempotencyKey?: string): Promise<TestReply> {
  const headers: Record<string, string> = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
  return caller.post('/contacts/reveal', { contact_ids: ids }, headers)
}

/** The first names of the revealed contacts. */
export const namesIn = ({ body }: TestReply): string[] => body.data.map((contact: Json) => contact.first_name)

export const usageOf = async (key: TestKey): Promise<Json> => (await key.get('/usage')).body

/** A well-formed id without a contact. */
export const unknownId = (app: TestApp) => app.deps.ids.seal('contact', contactKey(987_654, 3), 'live')

/** The stored reveals, exports, counter and ledger sum of an account. */
export async function storedUsage(app: TestApp, key: TestKey, mode: Mode = 'live') {
  const { rows } = await app.db.query(
    `select (select count(*) from reveals where account_id = $1 and mode = $2) as reveals,
            (select count(*) from store_exports where account_id = $1 and mode = $2) as exports,
            (select coalesce(sum(used), 0) from usage_counters
             where account_id = $1 and mode = $2 and meter = 'contact_credits') as counted,
            (select coalesce(sum(amount), 0) from ledger
             where account_id = $1 and mode = $2 and meter = 'contact_credits') as entered`,
    [app.accountNumber(key.account), mode],
  )
  return rows[0] as { reveals: number; exports: number; counted: number; entered: number }
}
