import { type Static, Type } from 'typebox'
import { Closed, Count, Nullable, RequestId } from '../kernel/shapes.ts'
import { normalizeRoles, type PersonQuery } from '../search/person.ts'
import { findContacts } from '../search/postgres/find-contacts.ts'
import type { StoreQuery } from '../search/query.ts'
import { payForDelivery } from '../usage/charge.ts'
import type { CatalogueContext, PaidReply } from './context.ts'
import { withoutTechnologies } from './document.ts'
import { distinctHosts } from './hosts.ts'
import { ContactPreview, joinPreview } from './preview.ts'
import { findStoresByHosts } from './queries.ts'
import { Domain, EnrichedStore } from './schema.ts'

const Include = Type.Union([Type.Literal('store'), Type.Literal('technologies'), Type.Literal('contact_previews')])

export const StoreEnrichmentRequest = Closed({
  domains: Type.Array(Type.String({ maxLength: 2048 }), {
    minItems: 1,
    maxItems: 25,
    description: 'Domains, or URLs with one.',
    examples: [['aurora-candles.example', 'https://www.aurora-candles.example/pages/about']],
  }),
  include: Type.Optional(
    Type.Array(Include, {
      maxItems: 50,
      default: ['store', 'technologies'],
      description: 'A found row always has its store; technologies and contact previews only when named here.',
    }),
  ),
  contact_roles: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), { maxItems: 50, description: 'Roles of the previewed contacts.' }),
  ),
  max_contacts_per_store: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, default: 1 })),
  reveal_contacts: Type.Optional(
    Type.Boolean({
      const: false,
      default: false,
      description: 'Must be false: contacts are revealed by their own call.',
    }),
  ),
})

export const StoreEnrichmentReply = Closed({
  object: Type.Literal('store_enrichment_result'),
  data: Type.Array(
    Closed({
      domain: Domain,
      status: Type.Union([Type.Literal('found'), Type.Literal('not_found')]),
      store: Nullable(EnrichedStore),
      contact_previews: Type.Optional(Type.Array(ContactPreview, { maxItems: 10 })),
    }),
    { maxItems: 25 },
  ),
  found: Count('Rows with status found.'),
  not_found: Count('Rows with status not_found.'),
  request_id: RequestId,
})

/** One row for each distinct host asked for, in order of first appearance; each store found counts as one export a period. */
export async function enrichStores(
  ctx: CatalogueContext,
  request: Static<typeof StoreEnrichmentRequest>,
): Promise<PaidReply> {
  const hosts = distinctHosts(request.domains, 'domains')
  const include = new Set(request.include ?? ['store', 'technologies'])
  const person = normalizeRoles(ctx.vocabulary, request.contact_roles, 'contact_roles')

  const rows = await findStoresByHosts(ctx.db, ctx.caller.mode, hosts, ctx.deliverEmails)
  const foundByHost = new Map(rows.map((row) => [row.host, row]))
  const storeIds = [...new Set(rows.map((row) => row.store_id))]
  const contacts = include.has('contact_previews')
    ? await findContactsAt(ctx, storeIds, person, request.max_contacts_per_store ?? 1)
    : null

  const contactIds = contacts?.map((contact) => contact.id) ?? []
  const { balance, revealed } = await payForDelivery(ctx, { storeIds, searchRows: 0, contactIds })
  const previewsAt = (storeId: number) =>
    contacts
      ?.filter((contact) => contact.storeId === storeId)
      .map(({ id, person, store }) => joinPreview(person, revealed.has(id), store))
  const data = hosts.map((host) => {
    const found = foundByHost.get(host)
    if (!found) return `{"domain":"${host}","status":"not_found","store":null}`
    const store = include.has('technologies') ? found.document : withoutTechnologies(found.document)
    const previews = previewsAt(found.store_id)
    const rest = previews ? `,"contact_previews":[${previews.join(',')}]` : ''
    return `{"domain":"${host}","status":"found","store":${store}${rest}}`
  })
  const missing = hosts.length - foundByHost.size
  return {
    body: `{"object":"store_enrichment_result","data":[${data.join(',')}],"found":${foundByHost.size},"not_found":${missing},"request_id":"${ctx.requestId}"}`,
    balance,
  }
}

const everyStore: StoreQuery = {
  clauses: [],
  noneOf: [],
  minActiveAds: null,
  createdBetween: null,
  discoveredBetween: null,
}

/** The first people of each of the stores, as contact search orders them. */
function findContactsAt(ctx: CatalogueContext, storeIds: number[], person: PersonQuery, maxPerStore: number) {
  const limit = storeIds.length * maxPerStore
  const { db, caller } = ctx
  return findContacts(db, { mode: caller.mode, store: everyStore, storeIds, person, maxPerStore, after: null, limit })
}
