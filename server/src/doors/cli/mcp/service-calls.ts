import { setTimeout as delay } from 'node:timers/promises'
import type { ServiceAccess } from '../../../operations/config.ts'
import type { ApiCall, ApiReply, ApiRequest } from '../../mcp/api-call.ts'

// The service answers within ten seconds.
const attemptTimeoutMs = 15_000
const attempts = 3
const firstPauseMs = 250
const longestPauseMs = 5_000

/**
 * Calls of the public API over HTTP, with one key. Repeats a call that got no reply or a 503, with the same
 * Idempotency-Key. Returns a reply in every case: of a service that cannot be reached, a 503 in the API's own form.
 */
export function createServiceCalls({ url, apiKey }: ServiceAccess, userAgent: string): ApiCall {
  const attempt = async ({ method, path, body: sent, idempotencyKey }: ApiRequest): Promise<ApiReply> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        'user-agent': userAgent,
        ...(sent && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(sent && { body: JSON.stringify(sent) }),
      // The key is for this address alone.
      redirect: 'manual',
      signal: AbortSignal.timeout(attemptTimeoutMs),
    })
    const { status, headers } = response
    const body = readReply(await response.text())
    if (body === undefined) return foreignReply(url, status)
    const retryAfter = headers.get('retry-after')
    const searchEnd = headers.get('x-search-end')
    return {
      status,
      body,
      ...(retryAfter !== null && /^\d+$/.test(retryAfter) && { retryAfterSeconds: Number(retryAfter) }),
      ...(searchEnd !== null && { searchEnd }),
    }
  }
  return async (call) => {
    for (let made = 1; ; made++) {
      const reply = await attempt(call).catch((error: unknown) => unreachable(url, error))
      const waitMs = (reply.retryAfterSeconds ?? 0) * 1_000
      if (reply.status !== 503 || made === attempts || waitMs > longestPauseMs) return reply
      await delay(Math.max(waitMs, Math.random() * firstPauseMs * 2 ** made))
    }
  }
}

/** A JSON object, as the API answers; undefined when something else has answered. */
function readReply(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function unreachable(url: string, error: unknown): ApiReply {
  const reason = describeNetworkError(error)
  const message = `The service at ${url} cannot be reached (${reason}). Check STOREDEX_URL, and that the service runs.`
  return { status: 503, body: errorBody(message) }
}

function describeNetworkError(error: unknown): string {
  const { name, message, cause } = error as Error
  if (name === 'TimeoutError') return `no reply within ${attemptTimeoutMs / 1_000} seconds`
  const code = (cause as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : message
}

/** Stands for a reply that is not the API's, such as a proxy's page. */
function foreignReply(url: string, status: number): ApiReply {
  const advice = status >= 300 && status < 400 ? 'It redirects: give the address that it leads to.' : 'Check it.'
  const message = `STOREDEX_URL (${url}) answers with status ${status}, and not as Storedex does. ${advice}`
  return { status: status === 503 ? status : 502, body: errorBody(message) }
}

function errorBody(message: string): object {
  return { error: { type: 'server_error', code: 'service_unavailable', message } }
}
