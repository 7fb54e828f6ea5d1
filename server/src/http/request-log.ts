import type { Logger } from 'pino'
import { describeCause } from './cause.ts'
import type { FinishedRequest, RequestObserver } from './observe.ts'

// Asked every few seconds by machines; only their failures are news.
const quietRoutes = new Set(['/healthz', '/readyz'])

/**
 * One line per request. It names the route by its pattern and says nothing that came from the caller: URLs, headers and
 * bodies can hold keys and other people's data.
 */
export function logRequests(log: Logger): RequestObserver {
  return (finished) => {
    const { requestId, method, route, status, durationMs, aborted, caller, failure } = finished
    log[levelOf(finished)](
      {
        request_id: requestId,
        method,
        route,
        status,
        duration_ms: Math.round(durationMs * 100) / 100,
        ...(aborted && { aborted }),
        ...caller,
        ...(failure && { code: failure.code }),
        ...(failure?.param && status === 429 && { limit: failure.param }),
        ...(status >= 500 && failure?.cause !== undefined && { cause: describeCause(failure.cause) }),
      },
      'request',
    )
  }
}

function levelOf({ route, status }: FinishedRequest): 'debug' | 'info' | 'warn' | 'error' {
  // A 503 is meant to pass; a 500 never is.
  if (status >= 500) return status === 503 ? 'warn' : 'error'
  return quietRoutes.has(route) ? 'debug' : 'info'
}
