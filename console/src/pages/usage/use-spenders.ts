import { useQuery } from '@tanstack/react-query'
import { callQuery, pageQuery } from '#api/query.ts'
import type { Option } from '#ui/fields/select.tsx'
import type { DayRange } from './days.ts'

/** The keys of the account, and the people who spent in these days, to choose from. */
export function useSpenders(
  account: string,
  days: DayRange & { mode: 'live' | 'test' },
  chosen: string | undefined,
): Option[] {
  const keys = useQuery(callQuery('listKeys', { account, limit: 100 })).data?.data ?? []
  const series = useQuery(pageQuery('getDailyUsage', { account, ...days, by: 'person' })).data?.series ?? []
  const people = new Map(series.flatMap(({ kind, id, name }) => (kind === 'person' && id ? [[id, name]] : [])))
  const options = [
    ...[...people].map(([id, label]) => ({ id, label, hint: 'person' })),
    ...keys.map(({ id, name }) => ({ id, label: name, hint: 'key' })),
  ]
  // What the address names stays chosen, even if it is in neither list.
  return chosen && !options.some(({ id }) => id === chosen) ? [{ id: chosen, label: chosen }, ...options] : options
}
