import { QueryClient } from '@tanstack/react-query'
import { pauseMs } from './connection.ts'
import { ApiFailure } from './failure.ts'

const freshForMs = 30_000
const tries = 2

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: freshForMs,
        // A page asked for again can cost again: only somebody's own action loads anew.
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        networkMode: 'always',
        retry: shouldRetry,
        retryDelay: (attempt, error) => (error instanceof ApiFailure && error.retryAfterMs) || pauseMs(attempt),
      },
      // Never by itself: the first try may have been carried out although its answer was lost.
      mutations: { networkMode: 'always', retry: false },
    },
  })
}

/** As long as the server is away; twice when it is busy. */
function shouldRetry(attempt: number, error: Error): boolean {
  if (!(error instanceof ApiFailure)) return false
  if (error.code === 'unreachable') return true
  const isBusy = error.status === 503 || error.code === 'rate_limit_exceeded'
  return isBusy && attempt < tries && (error.retryAfterMs ?? 0) <= 5_000
}
