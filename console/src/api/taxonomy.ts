import { queryOptions, useQuery } from '@tanstack/react-query'
import { Taxonomy } from '#lib/filters/taxonomy.ts'
import { call } from './client.ts'

const freshForMs = 3_600_000

const taxonomyQuery = queryOptions({
  queryKey: ['taxonomy'],
  queryFn: async ({ signal }) => new Taxonomy(await call('getTaxonomy', {}, { signal })),
  staleTime: freshForMs,
  // It is an instance of a class; comparing its content would cost more than it saves.
  structuralSharing: false,
})

/** The values of filters with their labels; costs nothing. */
export function useTaxonomy() {
  return useQuery(taxonomyQuery)
}
