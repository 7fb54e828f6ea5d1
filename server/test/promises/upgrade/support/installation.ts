import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { importContacts } from '../../../../src/catalogue/imports/contacts/import-contacts.ts'
import { importStores } from '../../../../src/catalogue/imports/stores/import-stores.ts'
import { scopes } from '../../../../src/customers/auth/caller.ts'
import { rotateKey } from '../../../../src/customers/keys/create-key.ts'
import { closePeriodsExclusively } from '../../../../src/customers/ledger/closing/close-periods.ts'
import type { TestApp, TestKey } from '../../../support/app.ts'
import { atEnd, removeFolder } from '../../../support/cleanup.ts'
import { createClient, type Json } from '../../../support/client.ts'
import { commandsOf } from '../../../support/deps.ts'
import { createMember } from '../../../support/members.ts'
import { generateContacts } from '../../../support/records/contact-records.ts'
import { generateStores } from '../../../support/records/store-records.ts'
import { type Callers, callOf, get, type PlannedCall, post, reveal, send } from './calls.ts'

// In the past of every machine: closing trusts the earlier one of the clock and PostgreSQL's time.
const longAgo = '2025-01-10T09:00:00Z'
const lastPeriod = '2025-09-10T09:00:00Z'
const closingDays = ['2025-11-17T03:00:00Z', '2025-11-18T03:00:00Z']
const today = '2025-11-20T12:00:00Z'
const detailMonths = 2

const shops = [...generateStores(36, 2025)]
const crowd = [...generateContacts(shops, 2, 2025)]
export const domains = shops.map(({ domain }) => domain)

export interface Installation {
  callers: Callers
  /** Contacts in the order of a search. Some are revealed, each account has its own. */
  contactIds: string[]
  storesCursor: string
  contactsCursor: string
  list: string
  /** An export by a quote. */
  quoted: PlannedCall
  /** Requests whose replies are kept under their Idempotency-Keys. */
  kept: PlannedCall[]
}

/** Sends a request that must succeed; returns the body. */
async function succeed(app: TestApp, callers: Callers, call: PlannedCall): Promise<Json> {
  const { status, text } = await send(app.url, callOf(callers, call))
  expect([200, 201], `${call.by} ${call.path} ${text}`).toContain(status)
  return JSON.parse(text)
}

/** Fills an installation over ten months, by the calls of its customers. */
export async function fillInstallation(app: TestApp): Promise<Installation> {
  app.clock.set(longAgo)
  await importRecords(app, 'live')
  await importRecords(app, 'test')
  const main = await app.key({
    scopes,
    periodStart: '2025-01-01T00:00:00Z',
    limits: { contact_credits: 60, store_exports: 200, search_rows: 900 },
  })
  const { body } = await main.post('/contacts/search', { max_contacts_per_store: 10, limit: 50 })
  expect(body.data).toHaveLength(50)
  const contactIds = body.data.map(({ id }: Json) => id)
  const earlier = { main } as Callers
  await succeed(app, earlier, reveal('main', contactIds.slice(-2), 'of january'))
  for (const domain of domains.slice(0, 3)) await succeed(app, earlier, get('main', `/stores/${domain}`))
  app.clock.set(lastPeriod)
  for (const domain of domains.slice(1, 5)) await succeed(app, earlier, get('main', `/stores/${domain}`))
  for (const day of closingDays) {
    app.clock.set(day)
    await closePeriodsExclusively({ db: app.db, now: app.clock.now(), detailMonths })
  }
  app.clock.set(today)
  const callers = await openCallers(app, main)
  return { callers, contactIds, ...(await spend(app, callers, contactIds)) }
}

async function openCallers(app: TestApp, main: TestKey): Promise<Callers> {
  const another = (traits: object = {}) => app.keyOf(main.account, { scopes, ...traits })
  const trial = await app.key({
    ...{ scopes, status: 'trialing', trialEnds: '2025-12-01T00:00:00Z', periodStart: '2025-11-15T00:00:00Z' },
    limits: { trial_contact_credits: 9 },
  })
  const [replaced, revoked, suspended] = [await another(), await another(), await another()]
  for (const key of [replaced, revoked, suspended])
    expect((await key.post('/stores/search', { filters: {}, limit: 2 })).status).toBe(200)
  await app.revokeKey(revoked)
  await app.suspendKey(suspended)
  const { key, secret } = await rotateKey(commandsOf(app.deps), replaced.id, { overlap_seconds: 7 * 86_400 })
  return {
    ...{ main, replaced, revoked, suspended, trial },
    budget: await another({ budget: { contact_credits: 4, store_exports: 30, search_rows: 20 } }),
    sandbox: await another({ mode: 'test' }),
    successor: { ...createClient(app.url, secret), id: key.id, account: main.account, secret },
    trialSandbox: await app.keyOf(trial.account, { scopes, mode: 'test' }),
    hasty: await app.key({ scopes, limits: { requests_per_minute: 3 } }),
    owner: await createMember(app, { account: main.account, role: 'owner', email: 'ada@harbour.example', name: 'Ada' }),
  }
}

async function spend(app: TestApp, callers: Callers, contactIds: readonly string[]) {
  const ask = (call: PlannedCall) => succeed(app, callers, call)
  const kept: PlannedCall[] = []
  const keep = async (call: PlannedCall) => {
    await ask(call)
    kept.push(call)
  }
  const ids = (from: number, to: number) => contactIds.slice(from, to)
  for (const by of ['main', 'sandbox', 'trial', 'trialSandbox'] as const) {
    for (const domain of domains.slice(2, 6)) await ask(get(by, `/stores/${domain}`))
    await ask(post(by, '/stores/enrich', { domains: domains.slice(4, 8) }))
  }
  const query = { filters: {}, limit: 10 }
  const first = await ask(post('main', '/stores/search', query))
  const second = await ask(post('main', '/stores/search', { ...query, cursor: first.next_cursor }))
  const previews = await ask(post('main', '/contacts/search', { limit: 7 }))
  await keep(reveal('main', ids(0, 2), 'order 1'))
  await keep(reveal('main', ids(1, 4), 'order 2'))
  await ask(reveal('main', ids(4, 6)))
  await keep(reveal('trial', ids(0, 3), 'order 1'))
  await ask(post('budget', '/stores/search', { filters: {}, limit: 6 }))
  await keep(reveal('budget', ids(6, 8), 'order 3'))
  await ask(reveal('replaced', ids(8, 9)))
  await ask(reveal('successor', ids(9, 10)))
  for (const by of ['sandbox', 'trialSandbox'] as const) {
    const { data } = await ask(post(by, '/contacts/search', { limit: 5 }))
    const contacts = data.slice(0, 3).map(({ id }: Json) => id)
    await keep(reveal(by, contacts, 'order 1'))
  }
  for (let call = 0; call < 3; call++) await ask(get('hasty', `/stores/${domains[call]}`))

  await ask(post('owner', '/stores/search', { filters: {}, limit: 6 }))
  await ask(post('owner', '/contacts/search', { limit: 5 }))
  await ask(get('owner', `/stores/${domains[9]}`))
  await keep(reveal('owner', ids(9, 12), 'of ada'))
  const list = await ask(post('main', '/lists', { name: 'Spring', kind: 'stores' }))
  await ask(post('main', `/lists/${list.id}/items`, { domains: domains.slice(0, 5) }))
  const body = { kind: 'stores', list: list.id, format: 'csv', max_rows: 10 }
  const { quote } = await ask(post('main', '/quotes', { for: 'export', ...body }))
  const quoted = post('main', '/exports', { ...body, quote }, 'of a quote')
  return { storesCursor: second.next_cursor, contactsCursor: previews.next_cursor, list: list.id, quoted, kept }
}

async function importRecords(app: TestApp, mode: 'live' | 'test'): Promise<void> {
  const file = join(tmpdir(), `storedex-upgrade-${crypto.randomUUID()}.ndjson`)
  atEnd(() => removeFolder(file))
  for (const [importFile, records] of [[importStores, shops] as const, [importContacts, crowd] as const]) {
    await writeFile(file, records.map((record) => JSON.stringify(record)).join('\n'))
    const { rejected } = await importFile(app.operator, { file, mode, extendTaxonomy: true })
    expect(rejected).toBe(0)
  }
  await app.searchFollows()
}
