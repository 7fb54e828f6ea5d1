import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eraseContacts } from '../../../../../src/catalogue/erasure/erase-contacts.ts'
import { importContacts } from '../../../../../src/catalogue/imports/contacts/import-contacts.ts'
import { importStores } from '../../../../../src/catalogue/imports/stores/import-stores.ts'
import type { PlanFile } from '../../../../../src/customers/accounts/plans.ts'
import { OperatorError, Refusal } from '../../../../../src/foundation/kernel/errors.ts'
import { startTestApp, type TestApp, type TestKey } from '../../../../support/app.ts'
import { openTestDeps, serveTestDeps } from '../../../../support/deps.ts'
import {
  type Mode,
  type Person,
  type Place,
  type Roster,
  rosterOf,
  type Shop,
  type ShopRecord,
  shopsOf,
} from './catalogue.ts'
import type { Grant } from './entitlement.ts'
import { type Act, noActivity, type Search, type Setting, type State } from './model.ts'
import { isTestKey } from './moves.ts'
import type { CallerKey, Seen } from './replies.ts'

/** Two instances of the app on one database, and an account that reads what was imported. */
export interface Servers {
  app: TestApp
  urls: string[]
  observers: Record<Mode, TestKey>
  plans: PlanFile
  /** Filter values; each run uses one for its shops, so that runs do not see each other. */
  places: Place[]
}

const month = {
  requests_per_minute: 500,
  requests_per_day: 5_000,
  billing_status_per_hour: 60,
  billing_links_per_hour: 5,
  ready_exports: 50,
  ready_export_bytes: 500_000_000,
}
const plan = (name: string, contact_credits: number, store_exports: number, search_rows: number) => ({
  name,
  limits: { ...month, contact_credits, store_exports, search_rows },
})
/** Limits so small that runs reach all of them. */
const plans: Pick<PlanFile, 'plans' | 'trial'> = {
  plans: {
    free: plan('Free', 0, 0, 0),
    pro: plan('Pro', 4, 3, 30),
    business: plan('Business', 6, 4, 60),
    enterprise: plan('Enterprise', 9, 5, 200),
  },
  trial: { contact_credits: 3, store_exports: 4 },
}

export async function startServers(): Promise<Servers> {
  const app = await startTestApp({ now: '2028-01-01T00:00:00.000Z', plans })
  const { config, clock, databaseUrl } = app.deps
  const second = await openTestDeps({ ...config, databaseUrl }, { applicationName: 'storedex second test', clock })
  const secondUrl = await serveTestDeps({ ...second, plans: app.deps.plans })
  const big = 1_000_000_000
  const limits = { store_exports: big, search_rows: big, requests_per_minute: big, requests_per_day: big }
  const live = await app.key({ plan: 'enterprise', limits })
  const test = await app.keyOf(live.account, { mode: 'test' })
  const taxonomy = (await live.get('/taxonomy')).body
  const values = (list: string) => taxonomy[list].map(({ value }: { value: string }) => value) as string[]
  const places = values('countries').flatMap((country) =>
    values('traffic_tiers').flatMap((traffic_tier) =>
      values('revenue_tiers').map((revenue_tier) => ({ country, traffic_tier, revenue_tier })),
    ),
  )
  return { app, urls: [app.url, secondUrl], observers: { live, test }, plans: app.deps.plans, places }
}

/** A run: two accounts, each with two live keys and a test key, and a catalogue of their own in each mode. */
export interface World {
  setting: Setting
  start: State
  roster: Roster
  accounts: string[]
  pause(toMs: number): void
  /** Makes charges wait until released, so that requests overlap. */
  blockCharges(): Promise<() => Promise<void>>
  /** Performs an act on the first or second instance. */
  perform(act: Act, server: number, cursors: ReadonlyMap<number, string>): Promise<Seen>
}

export async function createWorld(servers: Servers, run: number, startMs: number): Promise<World> {
  const { app, plans } = servers
  app.clock.set(new Date(startMs))
  const place = servers.places[run]!
  const roster = rosterOf(run)
  const shops = shopsOf(run, place)
  const catalogues = {
    live: await fill(servers, 'live', shops, roster),
    test: await fill(servers, 'test', shops, roster),
  }
  const callers: TestKey[] = []
  for (let account = 0; account < 2; account++) {
    const first = await app.key({ plan: 'pro' })
    callers.push(first, await app.keyOf(first.account, {}), await app.keyOf(first.account, { mode: 'test' }))
  }
  const keys = callers.map(
    ({ id }, index): CallerKey => ({
      account: Math.floor(index / 3),
      mode: isTestKey(index) ? 'test' : 'live',
      id,
      name: 'test key',
    }),
  )
  const accounts = [callers[0]!.account, callers[3]!.account]
  const state: State = {
    now: startMs,
    accounts: accounts.map(() => ({ grant: newGrant(startMs), activity: { live: noActivity(), test: noActivity() } })),
    catalogues,
    cursors: {},
  }
  const perform: World['perform'] = (act, server, cursors) => {
    switch (act.act) {
      case 'set': {
        const { trialEndsAt, ...changes } = act.changes
        const trial =
          trialEndsAt === undefined ? {} : { trialEndsAt: trialEndsAt === null ? null : new Date(trialEndsAt) }
        return operate(() => app.setAccount(accounts[act.account]!, { ...changes, ...trial }))
      }
      case 'import': {
        const { shop, facts } = roster.live[act.person]!
        const record = { store_domain: shops[shop]!.domain, external_id: facts.title, ...act.facts }
        return operate(() => importRecords(app, importContacts, 'live', [record]))
      }
      case 'erase':
        return operate(async () => {
          await eraseContacts(app.operator, { id: catalogues.live.people[act.person]!.id })
          await app.searchFollows()
        })
      default:
        return send(servers.urls[server]!, callers[act.key]!.secret, requestFor(act, catalogues, place, cursors))
    }
  }
  const pause = (toMs: number) => app.clock.set(new Date(toMs))
  const blockCharges = () => blockChargesOf({ app, accounts, catalogues })
  return { setting: { plans, keys }, start: state, roster, accounts, pause, blockCharges, perform }
}

/** Locks the counters and reveals of the accounts until the returned function is called. */
async function blockChargesOf({ app, accounts, catalogues }: Blocked): Promise<() => Promise<void>> {
  const client = await app.db.connect()
  const numbers = accounts.map(app.accountNumber)
  const people = [...catalogues.live.people, ...catalogues.test.people].map(({ id }) => app.deps.ids.open(id)!.value)
  await client.query('begin')
  // One by one: Citus locks rows of one account at a time.
  for (const number of numbers)
    await client.query('select from usage_counters where account_id = $1::bigint for update', [number])
  await client.query(
    `insert into reveals (account_id, mode, contact_id, revealed_at)
     select account_id, mode, contact_id, 'infinity'
     from unnest($1::bigint[]) as account_id, unnest(array['live', 'test']) as mode, unnest($2::bigint[]) as contact_id
     on conflict do nothing`,
    [numbers, people],
  )
  return async () => {
    await client.query('rollback')
    client.release()
  }
}

interface Blocked {
  app: TestApp
  accounts: string[]
  catalogues: State['catalogues']
}

function newGrant(now: number): Grant {
  return {
    plan: 'pro',
    status: 'active',
    trialStartedAt: null,
    trialEndsAt: null,
    anchor: now,
    createdAt: now,
    limits: {},
  }
}

/** Imports the shops and people of a mode and reads their ids. */
async function fill(
  { app, observers }: Servers,
  mode: Mode,
  records: ShopRecord[],
  roster: Roster,
): Promise<{ shops: Shop[]; people: Person[] }> {
  await importRecords(app, importStores, mode, records)
  const contacts = roster[mode].map(({ shop, facts }) => ({
    store_domain: records[shop]!.domain,
    external_id: facts.title,
    ...facts,
  }))
  await importRecords(app, importContacts, mode, contacts)
  const domains = records.map(({ domain }) => domain)
  const body = { store: { domains }, max_contacts_per_store: 10, limit: 100 }
  const previews = (await observers[mode].post('/contacts/search', body)).body.data as { id: string; title: string }[]
  const ids = new Map(previews.map(({ id, title }) => [title, id]))
  const shops: Shop[] = []
  for (const record of records)
    shops.push({ ...record, id: (await observers[mode].get(`/stores/${record.domain}`)).body.id })
  return {
    shops,
    people: roster[mode].map((person) => ({ ...person, id: ids.get(person.facts.title)!, isErased: false })),
  }
}

type Import = typeof importStores | typeof importContacts

async function importRecords(app: TestApp, load: Import, mode: Mode, records: object[]): Promise<void> {
  const file = join(tmpdir(), `storedex-test-${crypto.randomUUID()}.ndjson`)
  try {
    await writeFile(file, records.map((record) => JSON.stringify(record)).join('\n'))
    const result = await load(app.operator, { file, mode, extendTaxonomy: false })
    if (result.rejects_file !== null) await rm(result.rejects_file)
    if (result.rejected > 0) throw new OperatorError(`${result.rejected} records were rejected`)
  } finally {
    await rm(file, { force: true })
    await app.searchFollows()
  }
}

async function operate(work: () => Promise<unknown>): Promise<Seen> {
  const end = (status: Seen['status']): Seen => ({ status, headers: {}, body: {}, text: '' })
  try {
    await work()
    return end('done')
  } catch (error) {
    if (error instanceof OperatorError || error instanceof Refusal) return end('refused')
    throw error
  }
}

interface Request {
  path: string
  body?: object
  idempotencyKey?: string | null
}

type Call = Exclude<Act, { act: 'set' | 'import' | 'erase' }>

/** The HTTP request of an act. */
function requestFor(
  act: Call,
  catalogues: State['catalogues'],
  place: Place,
  cursors: ReadonlyMap<number, string>,
): Request {
  switch (act.act) {
    case 'usage':
      return { path: '/usage' }
    case 'lookup':
      return { path: `/stores/${act.shop === null ? 'nobody.example' : catalogues.live.shops[act.shop]!.domain}` }
    case 'search': {
      const cursor = act.cursor === null ? null : cursors.get(act.cursor)!
      return { path: act.query.path, body: { ...filtersOf(act.query, catalogues, place), limit: act.limit, cursor } }
    }
    case 'reveal': {
      const contact_ids = act.people.map(({ mode, person }) => catalogues[mode].people[person]!.id)
      return { path: '/contacts/reveal', body: { contact_ids }, idempotencyKey: act.idempotencyKey }
    }
  }
}

/** Adds filters that limit the search to the shops of this run. */
function filtersOf(query: Search, { live: { shops } }: State['catalogues'], place: Place) {
  const ownShops = {
    countries: [place.country],
    traffic_tiers: [place.traffic_tier],
    revenue_tiers: [place.revenue_tier],
  }
  if (query.path === '/stores/search') return { filters: { ...ownShops, contacts: query.filter } }
  const domains = query.shops.map((shop) => shops[shop]!.domain)
  const store = query.shops.length === shops.length ? ownShops : { domains }
  return { person: query.filter, store, max_contacts_per_store: query.perShop }
}

const comparedHeaders = ['x-contact-credits-remaining', 'x-store-exports-remaining', 'x-search-rows-remaining']

/** Sends a request, and reduces the reply to what the model determines. */
async function send(url: string, secret: string, { path, body, idempotencyKey }: Request): Promise<Seen> {
  const response = await fetch(`${url}/api/v1${path}`, {
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    headers: {
      authorization: `Bearer ${secret}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
    },
  })
  const text = await response.text()
  const isReplay = response.headers.has('idempotent-replayed')
  const kept = isReplay ? ['idempotent-replayed'] : response.ok ? comparedHeaders : ['retry-after']
  const headers = kept.flatMap((name) => {
    const value = response.headers.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  const requestId = response.headers.get('x-request-id')
  const { request_id: idInBody, error, ...rest } = JSON.parse(text)
  if (!isReplay && (idInBody ?? error.request_id) !== requestId)
    throw new Error(`request_id differs from ${requestId}: ${text}`)
  return {
    status: response.status,
    headers: Object.fromEntries(headers),
    body: comparable(response.status, rest, error),
    text,
  }
}

/** Removes messages, links and cursors, which the model does not determine. */
function comparable(status: number, body: Record<string, unknown>, error?: Record<string, unknown>) {
  const withPlainLink = (part: Record<string, unknown>): Record<string, unknown> =>
    part.billing ? { ...part, billing: { ...(part.billing as object), url: 'a link' } } : part
  if (error) {
    const { message: _, request_id: __, param, ...decided } = error
    const isParamDecided = param !== undefined && status !== 404 && status !== 409
    return { error: withPlainLink(isParamDecided ? { ...decided, param } : decided) }
  }
  return withPlainLink(typeof body.next_cursor === 'string' ? { ...body, next_cursor: 'a cursor' } : body)
}
