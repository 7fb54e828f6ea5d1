import { ConnectionError, invalidArgument, StoredexError } from '../errors.ts'
import {
  type ApiRequest,
  type CallOptions,
  type Limits,
  parseApiKey,
  parseBaseUrl,
  resolveLimits,
  type StoredexOptions,
} from '../options.ts'
import type { Fetch, ResponseLike } from '../platform.ts'
import { createReply, type Reply } from '../reply.ts'
import { version } from '../version.ts'
import { errorOfReply, redirectError, type TextReply } from './error-replies.ts'
import { copyCause } from './redact.ts'
import { RetryPolicy } from './retry.ts'
import { type Attempt, CallScope } from './scope.ts'

/** Sends requests: authorization, timeouts, retries and errors. The only holder of the key. */
export class Transport {
  readonly #apiKey: string
  readonly #fetch: Fetch
  readonly #apiUrl: string
  readonly #limits: Limits

  constructor({ apiKey, baseUrl, fetch, ...limits }: StoredexOptions) {
    this.#apiKey = parseApiKey(apiKey)
    this.#apiUrl = `${parseBaseUrl(baseUrl)}/api/v1`
    this.#limits = resolveLimits(limits)
    this.#fetch = fetch ?? ((url, init) => globalThis.fetch(url, init))
  }

  limitsOf(options: CallOptions | undefined): Limits {
    return resolveLimits(options, this.#limits)
  }

  /** The bounds of a call that sends several requests. */
  scopeOf(options: CallOptions | undefined): CallScope {
    return new CallScope(options?.signal, this.limitsOf(options).totalTimeoutMs)
  }

  /** Sends a request until it is answered, refused, or not to be repeated. */
  async send<T>(
    request: ApiRequest,
    options: CallOptions | undefined,
    scope = this.scopeOf(options),
  ): Promise<Reply<T>> {
    const { timeoutMs, maxRetries } = this.limitsOf(options)
    const retries = new RetryPolicy(maxRetries)
    const attempt = () =>
      this.exchange(request, timeoutMs, scope, async (response) => {
        const reply = { status: response.status, headers: response.headers, text: await response.text() }
        if (reply.status < 200 || reply.status > 299) throw errorOfReply(reply, this.#apiKey)
        return createReply<T>(parseBody(reply) as T, reply.status, reply.headers)
      })
    for (;;) {
      try {
        return await attempt()
      } catch (error) {
        await this.waitAfter(error, retries, scope, request)
      }
    }
  }

  /** Waits for the next attempt; throws the error when there is none, or no time for it. */
  async waitAfter(error: unknown, retries: RetryPolicy, scope: CallScope, request: ApiRequest): Promise<void> {
    if (!(error instanceof StoredexError)) throw error
    error.idempotencyKey = request.idempotencyKey
    if (request.repeatable === false && error instanceof ConnectionError && !wasRefused(error)) error.retryable = false
    const delayMs = retries.delayAfter(error)
    if (delayMs === undefined || !scope.allows(delayMs)) throw error
    await scope.sleep(delayMs)
  }

  /** One attempt: sends the request and lets `read` consume the reply, all within the attempt's time. */
  exchange<T>(
    request: ApiRequest,
    timeoutMs: number,
    scope: CallScope,
    read: (response: ResponseLike, attempt: Attempt) => Promise<T>,
  ): Promise<T> {
    const url = this.#urlOf(request)
    const init = {
      method: request.method,
      headers: this.#headersOf(request),
      ...(request.body && { body: JSON.stringify(request.body) }),
      redirect: 'manual',
      credentials: 'omit',
    } as const
    return scope.run(
      timeoutMs,
      async (attempt) => {
        const response = await this.#fetch(url, { ...init, signal: attempt.signal })
        if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
          await response.body?.getReader().cancel()
          throw redirectError(response)
        }
        return read(response, attempt)
      },
      (error) => this.#connectionError(error),
    )
  }

  /** The error of a reply that `exchange` handed over and that is not a success. */
  async errorOf(response: ResponseLike): Promise<StoredexError> {
    const { status, headers } = response
    return errorOfReply({ status, headers, text: await response.text() }, this.#apiKey)
  }

  #urlOf({ path, query = {} }: ApiRequest): string {
    const params = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) if (value !== undefined) params.append(name, String(value))
    return `${this.#apiUrl}${path}${params.size > 0 ? `?${params}` : ''}`
  }

  #headersOf({ body, idempotencyKey, headers }: ApiRequest): Record<string, string> {
    return {
      accept: 'application/json',
      'user-agent': `storedex-client/${version}`,
      ...headers,
      ...(body && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      authorization: `Bearer ${this.#apiKey}`,
    }
  }

  #connectionError(error: unknown): ConnectionError {
    return new ConnectionError('The connection to the service failed before the reply was complete.', {
      code: 'connection_failed',
      retryable: true,
      cause: copyCause(error, this.#apiKey),
    })
  }
}

function parseBody({ text, headers, status }: TextReply): unknown {
  if (status === 204) return
  if (!/\bjson\b/.test(headers.get('content-type') ?? ''))
    throw new StoredexError('The reply is not JSON: baseUrl does not seem to be the address of a Storedex service.', {
      code: 'unexpected_reply',
      status,
    })
  try {
    return JSON.parse(text)
  } catch {
    // A body that was cut without notice. The parser's error is no cause: it quotes the body, which may contain people.
    throw new ConnectionError('The reply was cut before it was complete.', {
      code: 'connection_failed',
      status,
      requestId: headers.get('x-request-id') ?? undefined,
      retryable: true,
    })
  }
}

/** Whether there was no connection, so that nothing was sent. */
function wasRefused({ cause }: ConnectionError): boolean {
  for (let error = cause; error instanceof Error; error = error.cause)
    if (/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/.test((error as { code?: string }).code ?? '')) return true
  return false
}

/** A value as one segment of a path. */
export function segment(value: string, name: string): string {
  // URLs resolve dots, which would make it another path.
  if (typeof value !== 'string' || /^\.{0,2}$/.test(value.trim()))
    throw invalidArgument(`${name} is missing or is no ${name}.`, name)
  return encodeURIComponent(value)
}
