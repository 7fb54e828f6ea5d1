import { queryOptions } from '@tanstack/react-query'
import { api, path } from '#api/client.ts'

export interface PersonSession {
  id: string
  device: string
  address: string
  created_at: string
  last_seen_at: string
  is_current: boolean
}

// Of the person, whichever account the page shows.
export const sessionsQuery = queryOptions({
  queryKey: ['person', 'sessions'],
  queryFn: ({ signal }) => api.get<{ data: PersonSession[] }>('/sessions', { signal }),
  staleTime: 0,
})

export const endSession = (id: string) => api.delete(path`/sessions/${id}`)
export const endOtherSessions = () => api.delete('/sessions')
