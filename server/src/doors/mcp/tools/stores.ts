import { StoreCountRequest } from '../../../product/counts/schema.ts'
import { StoreEnrichmentRequest } from '../../../product/stores/enrich-stores.ts'
import { StoreSearchRequest } from '../../../product/stores/search-stores.ts'
import { callApi, requestApi, ToolError } from '../api-call.ts'
import { apiInput, ownInput } from '../schemas.ts'
import { catalogueData, catalogueOutput, compactValue } from '../text.ts'
import { describePage, filterNotes, pageOutput, pageRows } from './pages.ts'
import { readsOnly, type Tool } from './tool.ts'

const maxFacetRows = 25

const count: Tool = {
  name: 'count_stores',
  title: 'Count stores',
  description: 'How many stores match, and how they divide by facets. Costs one request. Call it before a search.',
  input: apiInput(StoreCountRequest, filterNotes),
  output: catalogueOutput(
    { total: { type: 'integer' }, new_exports: { type: 'integer' }, facets: { type: 'object' } },
    ['total', 'new_exports'],
  ),
  annotations: { ...readsOnly, idempotentHint: true },
  async run({ api }, input) {
    const facets = Array.isArray(input.facets) ? input.facets.length : 0
    const facetLimit = facets > 0 && { facet_limit: Math.max(1, Math.floor(maxFacetRows / facets)) }
    const reply = await callApi(api, { method: 'POST', path: '/stores/count', body: { ...facetLimit, ...input } })
    const structured = compactValue(reply) as { total: number; new_exports: number; facets?: Record<string, object[]> }
    const rows = Object.entries(structured.facets ?? {}).flatMap(([facet, values]) =>
      values.map((value) => ({ facet, ...value })),
    )
    return {
      says: [
        `${structured.total} stores match; ${structured.new_exports} of them are new to this account this period.`,
      ],
      rows,
      structured: catalogueData(structured),
    }
  },
}

const search: Tool = {
  name: 'search_stores',
  title: 'Search stores',
  description:
    'Stores that meet every filter, best fit first. Each row costs a search row, each store new to the account a store export.',
  input: apiInput(StoreSearchRequest, filterNotes),
  output: pageOutput,
  annotations: readsOnly,
  async run({ api }, input) {
    const reply = await requestApi(api, { method: 'POST', path: '/stores/search', body: input })
    return describePage('search_stores', 'stores', reply)
  },
}

const get: Tool<{ domain: string }> = {
  name: 'get_store',
  title: 'Look up a store',
  description: 'One store by its domain or URL. Costs a store export the first time in a period.',
  input: ownInput({
    type: 'object',
    properties: { domain: { type: 'string', maxLength: 2_048, errorCode: 'invalid_domain' } },
    required: ['domain'],
    additionalProperties: false,
  }),
  output: catalogueOutput({ store: { type: 'object' } }),
  annotations: { ...readsOnly, idempotentHint: true },
  async run({ api }, { domain }) {
    // These would be another path of the API.
    if (/^\.*$/.test(domain))
      throw new ToolError('invalid_domain', 'domain must be a domain or a URL.', { param: 'domain' })
    const reply = await callApi(api, { method: 'GET', path: `/stores/${encodeURIComponent(domain.toWellFormed())}` })
    const store = compactValue(reply)
    return { says: ['One store.'], rows: [store], structured: catalogueData({ store }) }
  },
}

const enrich: Tool = {
  name: 'enrich_stores',
  title: 'Enrich stores',
  description: 'Up to 25 stores by their domains, with contact previews on request. Each store costs as in get_store.',
  input: apiInput(StoreEnrichmentRequest, {
    contact_roles: 'Roles of the previewed contacts.',
    max_contacts_per_store: '1 to 10, default 1',
  }),
  output: catalogueOutput({
    data: { type: 'array', items: { type: 'object' } },
    found: { type: 'integer' },
    not_found: { type: 'integer' },
  }),
  annotations: { ...readsOnly, idempotentHint: true },
  async run({ api }, input) {
    const reply = await callApi(api, { method: 'POST', path: '/stores/enrich', body: input })
    const rows = pageRows(reply)
    const { found, not_found } = reply
    return {
      says: [`${found} found, ${not_found} not found.`],
      rows,
      structured: catalogueData({ data: rows, found, not_found }),
    }
  },
}

export const storeTools = [count, search, get, enrich]
