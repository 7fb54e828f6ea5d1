/** An account that several keys and people use at once, and a model of what each request costs it. */

import type { TestApp, TestKey } from '../../../support/app.ts'
import type { Json, TestReply } from '../../../support/client.ts'
import { createMember, setViewed, type TestMember } from '../../../support/members.ts'

export const storeCount = 12
/** The stores of the first country come first in every search. */
const storesOfFirstCountry = 6
export const contactsPerStore = 3

const limits = { contact_credits: 9, store_exports: 7, search_rows: 45 }
const generous = { requests_per_minute: 1_000_000, requests_per_day: 1_000_000 }
/** The first person may look at only so many rows more. */
export const rowsLeftForFirst = 10

export type Act = { actor: number } & (
  | { act: 'search'; limit: number; firstCountry: boolean }
  | { act: 'search people'; limit: number; perStore: number }
  | { act: 'look up'; store: number }
  | { act: 'copy'; store: number }
  | { act: 'reveal'; contacts: number[]; idempotencyKey: number | null }
)

/** Actors by number: two keys, two members, a viewer. */
export const actorCount = 5
const isKey = (actor: number) => actor < 2
const isViewer = (actor: number) => actor === 4

export interface Catalogue {
  app: TestApp
  domains: string[]
  /** Public ids, those of a store in the order of a search. */
  contacts: string[]
}

export async function fillCatalogue(app: TestApp): Promise<Catalogue> {
  const domains = Array.from({ length: storeCount }, (_, index) => `shared-${index}.example`)
  await app.importStores(
    domains.map((domain, index) => ({
      domain,
      name: `Shared ${index}`,
      country: index < storesOfFirstCountry ? 'DE' : 'FR',
      lead_fit_score: 100 - index,
    })),
  )
  await app.importContacts(
    domains.flatMap((domain) =>
      Array.from({ length: contactsPerStore }, (_, number) => ({
        store_domain: domain,
        external_id: `${number}`,
        first_name: `Person ${number}`,
        emails: [{ email: `person-${number}@${domain}`, status: 'verified' }],
      })),
    ),
  )
  const key = await app.key({ limits: generous })
  const { body } = await key.post('/contacts/search', { max_contacts_per_store: 10, limit: 100 })
  return { app, domains, contacts: body.data.map(({ id }: Json) => id) }
}

/** What one request did, as its reply tells. */
export interface Seen {
  act: Act
  status: number
  requestId: string
  /** The code of a refusal, with the parameter of a limit. */
  refusal: string | null
  isReplay: boolean
  /** Search rows that it was charged, and rows in the reply, which a person may have paid before. */
  rows: number
  found: number
  /** Stores and contacts in the reply, by number. */
  stores: number[]
  /** Contacts that this request paid for. */
  charged: number[]
  credits: number
}

export interface SharedAccount {
  account: string
  keys: TestKey[]
  users: TestMember[]
  perform(act: Act): Promise<Seen>
}

export async function openSharedAccount({ app, domains, contacts }: Catalogue): Promise<SharedAccount> {
  const first = await app.key({ limits: { ...limits, ...generous } })
  const { account } = first
  const keys = [first, await app.keyOf(account, {})]
  const users = [
    await createMember(app, { account }),
    await createMember(app, { account, role: 'admin' }),
    await createMember(app, { account, role: 'viewer' }),
  ]
  await setViewed(app, users[0]!, 3_000 - rowsLeftForFirst)
  const storeNumbers = new Map(domains.map((domain, number) => [domain, number]))
  const contactNumbers = new Map(contacts.map((id, number) => [id, number]))

  const send = (act: Act): Promise<TestReply> => {
    const key = keys[act.actor]
    const member = users[act.actor - keys.length]
    const post = (path: string, body: object, headers?: Record<string, string>) =>
      key ? key.post(path, body, headers) : member!.ask(path, body, headers)
    switch (act.act) {
      case 'search':
        return post('/stores/search', { filters: act.firstCountry ? { countries: ['DE'] } : {}, limit: act.limit })
      case 'search people':
        return post('/contacts/search', { limit: act.limit, max_contacts_per_store: act.perStore })
      case 'look up':
        return key ? key.get(`/stores/${domains[act.store]}`) : member!.look(`/stores/${domains[act.store]}`)
      case 'copy':
        // Keys look it up, which takes it, too.
        return key
          ? key.get(`/stores/${domains[act.store]}`)
          : member!.ask(`/stores/${domains[act.store]}/copy`, { format: act.store % 2 ? 'csv' : 'json' })
      case 'reveal': {
        const headers = act.idempotencyKey === null ? {} : { 'idempotency-key': `key ${act.idempotencyKey}` }
        return post('/contacts/reveal', { contact_ids: act.contacts.map((number) => contacts[number]) }, headers)
      }
    }
  }

  return {
    account,
    keys,
    users,
    perform: async (act) => {
      const { status, headers, body } = await send(act)
      const isReplay = headers.get('idempotent-replayed') === 'true'
      const seen: Seen = {
        ...{ act, status, isReplay, requestId: headers.get('x-request-id')! },
        refusal: status === 200 ? null : refusalOf(body.error),
        ...{ rows: 0, found: 0, stores: [], charged: [], credits: 0 },
      }
      if (status !== 200 || isReplay) return seen
      const storesIn = (domainsIn: string[]) => [...new Set(domainsIn.map((domain) => storeNumbers.get(domain)!))]
      const countRows = (found: number) => ({
        found,
        rows: isKey(act.actor) ? found : Number(headers.get('x-search-rows-charged')),
      })
      switch (act.act) {
        case 'search':
          return { ...seen, ...countRows(body.data.length), stores: storesIn(body.data.map((row: Json) => row.domain)) }
        case 'search people':
          return {
            ...seen,
            ...countRows(body.data.length),
            stores: storesIn(body.data.map((row: Json) => row.store.domain)),
          }
        case 'look up':
        case 'copy':
          return { ...seen, ...(pageOf(act) !== null && countRows(1)), stores: [act.store] }
        case 'reveal':
          return {
            ...seen,
            stores: storesIn(body.data.map((row: Json) => row.store.domain)),
            charged: body.data.flatMap((row: Json) => (row.charged ? [contactNumbers.get(row.id)!] : [])),
            credits: body.credits.spent,
          }
      }
    },
  }
}

function refusalOf({ code, param }: Json): string {
  return code === 'rate_limit_exceeded' ? param : code
}

/** Whether a request takes the stores of its reply, so that they cost exports. */
export function takesStores({ actor, act }: Act): boolean {
  return isKey(actor) || act === 'copy' || act === 'reveal'
}

/** The page that a person looks at, which is paid once in ten minutes; null for a request that takes. */
export function pageOf(act: Act): string | null {
  return takesStores(act) ? null : JSON.stringify(act)
}

/** What the account has used; filled from replies, so it is right whatever order concurrent requests had. */
export interface Used {
  rows: number
  exports: Set<number>
  revealed: Set<number>
  /** By actor. */
  viewed: number[]
  /** The pages that people have paid. The clock stands still, so each of them stays paid. */
  paid: Set<string>
  /** The contacts of the first request with each Idempotency-Key. */
  kept: Map<number, string>
}

export const nothingUsed = (): Used => ({
  ...{ rows: 0, exports: new Set(), revealed: new Set(), kept: new Map(), paid: new Set() },
  viewed: Array(actorCount).fill(0),
})

export function addSeen(used: Used, { act, status, isReplay, rows, stores, charged }: Seen): void {
  if (status !== 200 || isReplay) return
  used.rows += rows
  const page = pageOf(act)
  if (page !== null) used.paid.add(page)
  if (!isKey(act.actor)) used.viewed[act.actor]! += rows
  if (takesStores(act)) for (const store of stores) used.exports.add(store)
  for (const contact of charged) used.revealed.add(contact)
  if (act.act === 'reveal' && act.idempotencyKey !== null)
    used.kept.set(act.idempotencyKey, JSON.stringify(act.contacts))
}

/** What a request must get that runs alone: null, or why it is refused. */
export function expectedRefusal(used: Used, act: Act): string | null {
  if (isViewer(act.actor) && (act.act === 'copy' || act.act === 'reveal')) return 'insufficient_role'
  const newOf = (stores: Iterable<number>) => [...new Set(stores)].filter((store) => !used.exports.has(store)).length
  const exportsLeft = limits.store_exports - used.exports.size
  if (act.act === 'reveal') {
    const kept = act.idempotencyKey === null ? undefined : used.kept.get(act.idempotencyKey)
    if (kept !== undefined) return kept === JSON.stringify(act.contacts) ? null : 'idempotency_conflict'
    const newContacts = [...new Set(act.contacts)].filter((contact) => !used.revealed.has(contact)).length
    if (newContacts > limits.contact_credits - used.revealed.size) return 'insufficient_contact_credits'
    return newOf(act.contacts.map(storeOfContact)) > exportsLeft ? 'store_exports' : null
  }
  if (used.paid.has(pageOf(act) ?? '')) return null
  const asked = act.act === 'copy' || (act.act === 'look up' && isKey(act.actor)) ? 0 : 'limit' in act ? act.limit : 1
  if (asked > limits.search_rows - used.rows) return 'search_rows'
  if (!isKey(act.actor) && asked > viewsAllowed(act.actor) - used.viewed[act.actor]!) return 'person_rows'
  return takesStores(act) && newOf(storesOf(act)) > exportsLeft ? 'store_exports' : null
}

const viewsAllowed = (actor: number) => (actor === 2 ? rowsLeftForFirst : 3_000)
const storeOfContact = (contact: number) => Math.floor(contact / contactsPerStore)

/** The stores of a reply, which does not change: nothing is imported. */
function storesOf(act: Act): number[] {
  switch (act.act) {
    case 'search': {
      const found = act.firstCountry ? storesOfFirstCountry : storeCount
      return Array.from({ length: Math.min(act.limit, found) }, (_, index) => index)
    }
    case 'search people':
      return Array.from(
        { length: Math.ceil(act.limit / Math.min(act.perStore, contactsPerStore)) },
        (_, index) => index,
      )
    case 'look up':
    case 'copy':
      return [act.store]
    case 'reveal':
      return act.contacts.map(storeOfContact)
  }
}
