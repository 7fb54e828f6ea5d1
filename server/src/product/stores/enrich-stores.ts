import { everyStore, type PersonQuery } from '@storedex/search-index'
import { type Static, Type } from 'typebox'
import { type Access, authorize } from '../../customers/auth/access.ts'
import { jsonWithList } from '../../foundation/http/replies.ts'
import { ClosedObject, Count, Nullable, ObjectKind, OneOf, RequestId } from '../../foundation/kernel/shapes.ts'
import { normalizeRoles } from '../../search/query/person-query.ts'
import { ContactPreview, contactIdsOf } from '../delivery/contact-preview.ts'
import { deliverHosts } from '../delivery/deliver.ts'
import { findStoreIds } from '../delivery/fetch-queries.ts'
import { type CatalogueContext, type PaidReply, parseHosts } from '../delivery/paid-reply.ts'
import { Domain, Store, withoutTechnologies } from '../delivery/store-document.ts'

const Include = OneOf(['store', 'technologies', 'contact_previews'])

export const StoreEnrichmentRequest = ClosedObject(
  {
    domains: Type.Array(Type.String({ maxLength: 2048, errorCode: 'invalid_domain' }), {
      minItems: 1,
      maxItems: 25,
      description: 'Domains, or URLs with one, which are reduced to their host.',
      examples: [['aurora-candles.example', 'https://www.aurora-candles.example/pages/about']],
    }),
    include: Type.Optional(
      Type.Array(Include, {
        maxItems: 50,
        default: ['store', 'technologies'],
        description:
          'What the rows have. A found row always has its store; technologies and contact previews only if listed here.',
      }),
    ),
    contact_roles: Type.Optional(
      Type.Array(Type.String({ maxLength: 100 }), {
        maxItems: 50,
        description:
          'Roles of the contacts to preview, as values of the taxonomy in any letter case; of all roles if left out or empty.',
      }),
    ),
    max_contacts_per_store: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10,
        default: 1,
        description: 'The most contact previews of each store, the most senior first.',
      }),
    ),
    reveal_contacts: Type.Optional(
      Type.Boolean({
        const: false,
        default: false,
        description: 'Must be false: contacts are revealed by a separate call.',
        errorCode: 'reveal_not_supported',
        errorMessage: 'reveal_contacts must be false here; contacts are revealed by POST /api/v1/contacts/reveal.',
      }),
    ),
  },
  { title: 'StoreEnrichmentRequest', description: 'The domains to look up, and what to return of each.' },
)

export const StoreEnrichmentResult = ClosedObject(
  {
    object: ObjectKind('store_enrichment_result'),
    data: Type.Array(
      ClosedObject(
        {
          domain: {
            ...Domain,
            description: 'The requested domain as a host name; the main domain of the store can be another.',
          },
          status: OneOf(['found', 'not_found'], {
            description: 'Whether the catalogue has a store with this domain. A row with not_found costs nothing.',
          }),
          store: Nullable(Store, 'The store; null for not_found.'),
          contact_previews: Type.Optional(
            Type.Array(ContactPreview, {
              maxItems: 10,
              description:
                'Contacts of the store, the most senior first. Only for found, and only if include lists contact_previews.',
            }),
          ),
        },
        { title: 'StoreEnrichmentRow', description: 'What was found for one domain.' },
      ),
      { maxItems: 25, description: 'A row for each distinct host, in order of first appearance.' },
    ),
    found: Count('Rows with status found.'),
    not_found: Count('Rows with status not_found.'),
    request_id: RequestId,
  },
  { title: 'StoreEnrichmentResult', description: 'What was found for the requested domains.' },
)

/** One row for each distinct host, in order of first appearance; each store found costs one export per period. */
export const enrichingStores = {
  key: { scope: 'stores:read', admitsWithCharge: true },
  kind: 'spend',
  spends: ['store_exports'],
} as const satisfies Access

export async function enrichStores(
  ctx: CatalogueContext,
  request: Static<typeof StoreEnrichmentRequest>,
): Promise<PaidReply> {
  authorize(ctx, enrichingStores)
  const hosts = parseHosts(request.domains, 'domains')
  const include = new Set(request.include ?? ['store', 'technologies'])
  const person = normalizeRoles(ctx.vocabulary, request.contact_roles, 'contact_roles')

  const contactIds = include.has('contact_previews')
    ? await findContactIds(ctx, hosts, person, request.max_contacts_per_store ?? 1)
    : []
  const { stores, balance } = await deliverHosts(ctx, hosts, { contactIds })
  const foundByHost = new Map(stores.map((store) => [store.host, store]))
  const data = hosts.map((host) => {
    const found = foundByHost.get(host)
    if (!found) return `{"domain":"${host}","status":"not_found","store":null}`
    const store = include.has('technologies') ? found.document : withoutTechnologies(found.document)
    const rest = include.has('contact_previews') ? `,"contact_previews":[${found.previews}]` : ''
    return `{"domain":"${host}","status":"found","store":${store}${rest}}`
  })
  const missing = hosts.length - foundByHost.size
  const end = `],"found":${foundByHost.size},"not_found":${missing},"request_id":"${ctx.requestId}"}`
  return { body: jsonWithList('{"object":"store_enrichment_result","data":[', data, end), balance }
}

/** The first contacts of each store, in the order of contact search. */
export async function findContactIds(
  { db, caller, search }: CatalogueContext,
  hosts: string[],
  person: PersonQuery,
  maxPerStore: number,
): Promise<number[]> {
  const storeIds = await findStoreIds(db, caller.mode, hosts)
  const limit = storeIds.length * maxPerStore
  const where = { mode: caller.mode, store: everyStore, storeIds }
  return contactIdsOf(await search.findContacts({ ...where, person, maxPerStore, after: null, limit }))
}
