import type * as api from '../generated/types.ts'
import type { CallOptions } from '../options.ts'
import type { Pages, RowBound } from '../pages.ts'
import { sendInParts } from '../parts.ts'
import { ApiPromise } from '../reply.ts'
import { segment } from '../transport/transport.ts'
import { Resource } from './resource.ts'

/** The most domains of one enrichment. */
const longestEnrichment = 25

/** Stores of the catalogue. */
export class Stores extends Resource {
  /** The store with a domain, an alias or a URL. */
  get(domain: string, options?: CallOptions): ApiPromise<api.Store> {
    return this.call({ method: 'GET', path: `/stores/${segment(domain, 'domain')}` }, options)
  }

  /** What imports changed about a store, newest first. */
  history(
    domain: string,
    query?: { limit?: number | undefined; cursor?: string | undefined },
    options?: CallOptions & RowBound,
  ): Pages<api.StoreChange, api.StoreChangeList> {
    return this.listPages(`/stores/${segment(domain, 'domain')}/history`, query, options)
  }

  /** The stores that match filters, best first. Each row counts. */
  search(body: api.StoreSearchRequest, options?: CallOptions & RowBound): Pages<api.Store, api.StoreList> {
    return this.searchPages('/stores/search', body, options)
  }

  /** How many stores a search would find. Costs no rows. */
  count(body: api.StoreCountRequest, options?: CallOptions): ApiPromise<api.StoreCount> {
    return this.call({ method: 'POST', path: '/stores/count', body }, options)
  }

  /** Looks up any number of domains, 25 a request. A row for each distinct host, in the order of the domains. */
  enrich(body: api.StoreEnrichmentRequest, options?: CallOptions): ApiPromise<api.StoreEnrichmentResult> {
    const transport = this.transport()
    const scope = transport.scopeOf(options)
    return new ApiPromise(
      sendInParts<api.StoreEnrichmentResult>(body.domains, {
        name: 'domains',
        size: longestEnrichment,
        idempotencyKey: '',
        send: ({ items }) =>
          transport.send({ method: 'POST', path: '/stores/enrich', body: { ...body, domains: items } }, options, scope),
        merge: mergeEnrichments,
      }),
    )
  }
}

/** A host that two parts have, in different spellings, is in the result once. */
function mergeEnrichments(replies: api.StoreEnrichmentResult[]): api.StoreEnrichmentResult {
  const rows = new Map<string, api.StoreEnrichmentRow>()
  for (const row of replies.flatMap(({ data }) => data)) if (!rows.has(row.domain)) rows.set(row.domain, row)
  const data = [...rows.values()]
  const found = data.filter(({ status }) => status === 'found').length
  return { ...replies.at(-1)!, data, found, not_found: data.length - found }
}
