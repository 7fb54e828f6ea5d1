import { type Static, Type } from 'typebox'
import { normalizeDomain } from '../kernel/domain.ts'
import { ApiError } from '../kernel/errors.ts'
import { Closed, Count, Nullable, RequestId } from '../kernel/shapes.ts'
import { normalizeValues } from '../search/query.ts'
import { payForDelivery } from '../usage/charge.ts'
import type { PaidReply, StoresContext } from './context.ts'
import { parseStore, withoutTechnologies } from './document.ts'
import { ContactPreview, type PreviewSelection, previewContacts } from './preview.ts'
import { findStoresByHosts, type StoreByHostRow } from './queries.ts'
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
  ctx: StoresContext,
  request: Static<typeof StoreEnrichmentRequest>,
): Promise<PaidReply> {
  const hosts = distinctHosts(request.domains)
  const include = new Set(request.include ?? ['store', 'technologies'])
  const roles = normalizeValues(ctx.vocabulary, 'role', request.contact_roles, 'contact_roles')

  const rows = await findStoresByHosts(ctx.db, ctx.caller.mode, hosts)
  const foundByHost = new Map(rows.map((row) => [row.host, row]))
  const previews = include.has('contact_previews')
    ? await previewsOf(ctx, rows, { roles, perStore: request.max_contacts_per_store ?? 1 })
    : null

  const balance = await payForDelivery(ctx, { storeIds: rows.map((row) => row.store_id), searchRows: 0 })
  const data = hosts.map((host) => {
    const found = foundByHost.get(host)
    if (!found) return `{"domain":"${host}","status":"not_found","store":null}`
    const store = include.has('technologies') ? found.document : withoutTechnologies(found.document)
    const contacts = previews ? `,"contact_previews":[${(previews.get(found.store_id) ?? []).join(',')}]` : ''
    return `{"domain":"${host}","status":"found","store":${store}${contacts}}`
  })
  const missing = hosts.length - foundByHost.size
  return {
    body: `{"object":"store_enrichment_result","data":[${data.join(',')}],"found":${foundByHost.size},"not_found":${missing},"request_id":"${ctx.requestId}"}`,
    balance,
  }
}

/** Normalised hosts without repetitions; refuses the call when any is no domain, naming every one that is not. */
function distinctHosts(domains: string[]): string[] {
  const hosts = domains.map((domain) => normalizeDomain(domain))
  const bad = hosts.flatMap((host, index) => (host === null ? [index] : []))
  if (bad.length > 0) {
    const places = bad.map((index) => `domains[${index}]`).join(', ')
    const verb = bad.length === 1 ? 'is not a domain' : 'are not domains'
    throw new ApiError('invalid_domain', `${places} ${verb} or a URL with one.`, { param: `domains[${bad[0]}]` })
  }
  return [...new Set(hosts as string[])]
}

function previewsOf(ctx: StoresContext, rows: StoreByHostRow[], selection: PreviewSelection) {
  const stores = new Map(rows.map((row) => [row.store_id, parseStore(row.document)]))
  return previewContacts(ctx, stores, selection)
}
