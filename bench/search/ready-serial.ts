import { type Distribution, distributionOf } from '@storedex/testkit'
import type { Request } from 'autocannon'
import type { Service } from '../../server/test/support/programs/program.ts'
import { send } from '../api/load/load.ts'
import { type BenchTaxonomy, valuesByRank } from './catalogue/taxonomy.ts'
import { contactQuestions } from './questions/contacts.ts'
import { storeQuestions } from './questions/stores.ts'

/** Durations over HTTP of requests that one connection sends one after another, in milliseconds. */
export interface SerialFigures {
  searches: Distribution
  totals: Distribution
  facets: Distribution
}

const storeFacets = [
  ...['categories', 'countries', 'traffic_tiers', 'revenue_tiers', 'platform_plus'],
  ...['apps', 'pixels', 'theme_types', 'contact_roles'],
]

/** Each search of the set, and the counts of each store search: the total, and all facets. */
export async function measureSerially(
  service: Service,
  taxonomy: BenchTaxonomy,
  key: string,
  passes: number,
): Promise<SerialFigures> {
  const values = valuesByRank(taxonomy)
  const filtersOfStores = Object.values(storeQuestions(values)).flatMap((definitions) =>
    definitions.map(([, , filters]) => filters),
  )
  const ofContacts = contactQuestions(values).map(([, , { person, store, maxPerStore }]) => ({
    ...{ person, ...(store && { store }) },
    max_contacts_per_store: Math.min(maxPerStore ?? 1, 10),
  }))
  const stores = (path: string, more: object) =>
    filtersOfStores.map((filters) => requestTo(path, key, { filters, ...more }))
  const contacts = ofContacts.map((body) => requestTo('/api/v1/contacts/search', key, { ...body, limit: 25 }))
  return {
    searches: await time(service, passes, [...stores('/api/v1/stores/search', { limit: 25 }), ...contacts]),
    totals: await time(service, passes, stores('/api/v1/stores/count', {})),
    facets: await time(service, passes, stores('/api/v1/stores/count', { facets: storeFacets })),
  }
}

function requestTo(path: string, key: string, body: object): Request {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return { method: 'POST', path, headers, body: JSON.stringify(body) }
}

/** The first pass is not counted. A count is remembered for a second, so that each pass goes through all requests. */
async function time({ api }: Service, passes: number, requests: readonly Request[]): Promise<Distribution> {
  const { origin } = new URL(api)
  const durationsMs: number[] = []
  for (let pass = 0; pass <= passes; pass++) {
    const passStartedAtMs = performance.now()
    for (const request of requests) {
      const startedAtMs = performance.now()
      await send(origin, request)
      if (pass > 0) durationsMs.push(performance.now() - startedAtMs)
    }
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 1_100 - (performance.now() - passStartedAtMs))))
  }
  return distributionOf(durationsMs)
}
