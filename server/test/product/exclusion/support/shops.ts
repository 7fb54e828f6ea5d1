import type { TestApp, TestKey } from '../../../support/app.ts'
import type { Json, TestClient, TestReply } from '../../../support/client.ts'

/** Shops with zero to three revealable people each, in the order of every search. */

export const shopCount = 24
const peopleAt = (shop: number) => shop % 4
export const domainOf = (shop: number) => `shop-${shop}.example`
const nameOf = (shop: number, person: number) => `P${shop}-${person}`

export const generous = { requests_per_minute: 1_000_000, requests_per_day: 1_000_000, search_rows: 1_000_000 }

export async function fillShops(app: TestApp): Promise<void> {
  const shops = Array.from({ length: shopCount }, (_, shop) => shop)
  await app.importStores(
    shops.map((shop) => ({ domain: domainOf(shop), name: domainOf(shop), country: 'DE', lead_fit_score: 99 - shop })),
  )
  await app.importContacts(
    shops.flatMap((shop) =>
      Array.from({ length: peopleAt(shop) }, (_, person) => ({
        store_domain: domainOf(shop),
        external_id: nameOf(shop, person),
        first_name: nameOf(shop, person),
        emails: [{ email: `p${person}@${domainOf(shop)}`, status: 'verified' }],
      })),
    ),
  )
}

/** All people as a search shows them: name and shop, in order. */
export function everybody(perShop = 10): { shop: number; name: string }[] {
  return Array.from({ length: shopCount }, (_, shop) =>
    Array.from({ length: Math.min(perShop, peopleAt(shop)) }, (_, person) => ({ shop, name: nameOf(shop, person) })),
  ).flat()
}

export async function contactIds(key: TestClient): Promise<Record<string, string>> {
  const { body } = await key.post('/contacts/search', { max_contacts_per_store: 10, limit: 100 })
  return Object.fromEntries(body.data.map((preview: Json) => [preview.first_name, preview.id]))
}

/** The internal ids of the shops, by number. */
export async function storeIds(app: TestApp): Promise<number[]> {
  const { rows } = await app.db.query<{ host: string; store_id: number }>(
    "select host, store_id from store_domains where mode = 'live'",
  )
  const ids = new Map(rows.map(({ host, store_id }) => [host, store_id]))
  return Array.from({ length: shopCount }, (_, shop) => ids.get(domainOf(shop))!)
}

export const searchStores = (by: TestClient, body: object) => by.post('/stores/search', { filters: {}, ...body })
export const searchContacts = (by: TestClient, body: object) =>
  by.post('/contacts/search', { max_contacts_per_store: 10, ...body })

export const shopsIn = ({ body }: TestReply): number[] =>
  body.data.map((store: Json) => Number(/\d+/.exec(store.domain)![0]))
export const namesIn = ({ body }: TestReply): string[] => body.data.map((preview: Json) => preview.first_name)

interface Members {
  stores?: number[]
  contacts?: number[]
  name?: string
}

/** Writes a list as the lists' operations do, and returns its public id. */
export async function writeList(app: TestApp, key: TestKey, { stores, contacts, name }: Members): Promise<string> {
  const kind = contacts ? 'contacts' : 'stores'
  const account = app.accountNumber(key.account)
  const members = contacts ?? stores ?? []
  const { rows } = await app.db.query<{ id: number }>(
    `insert into lists (account_id, mode, name, folded_name, kind, items, created_at, updated_at)
     values ($1, 'live', $2, $2, $3, $4, $5, $5)
     returning id`,
    [account, name ?? crypto.randomUUID(), kind, members.length, app.clock.now()],
  )
  const { id } = rows[0]!
  await addMembers(app, key, { id, kind, members })
  return app.deps.ids.seal('list', id, 'live')
}

export async function addMembers(
  app: TestApp,
  key: TestKey,
  { id, kind, members }: { id: number; kind: string; members: number[] },
): Promise<void> {
  const [table, column] = kind === 'stores' ? ['list_stores', 'store_id'] : ['list_contacts', 'contact_id']
  await app.db.query(
    `insert into ${table} (account_id, list_id, ${column}, added_at)
     select $1, $2, member, $4 from unnest($3::bigint[]) as member`,
    [app.accountNumber(key.account), id, members, app.clock.now()],
  )
}
