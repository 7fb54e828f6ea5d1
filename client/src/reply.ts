import type { HeadersLike } from './platform.ts'

/** What is left, by the names of meters and limits: `search_rows`, `contact_credits`, `requests_per_minute`, … */
export interface Remaining {
  search_rows?: number
  store_exports?: number
  contact_credits?: number
  requests_per_minute?: number
  requests_per_day?: number
  [limit: string]: number | undefined
}

/** A reply with what came beside its body. Of a call in several parts, the last one's. */
export interface Reply<T> {
  data: T
  status: number
  headers: HeadersLike
  requestId: string | undefined
  remaining: Remaining
  /** Whether the service had done the work before, under the same Idempotency-Key. */
  replayed: boolean
}

/** A promise of the reply's body; `withResponse()` gives headers, request id and what is left as well. */
export class ApiPromise<T> implements Promise<T> {
  readonly #reply: Promise<Reply<T>>

  constructor(reply: Promise<Reply<T>>) {
    this.#reply = reply
  }

  withResponse(): Promise<Reply<T>> {
    return this.#reply
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise.
  then<A = T, B = never>(
    onFulfilled?: ((data: T) => A | PromiseLike<A>) | null,
    // biome-ignore lint/suspicious/noExplicitAny: as in Promise.
    onRejected?: ((error: any) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#reply.then(({ data }) => data).then(onFulfilled, onRejected)
  }

  // biome-ignore lint/suspicious/noExplicitAny: as in Promise.
  catch<B = never>(onRejected?: ((error: any) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, onRejected)
  }

  finally(onFinally?: (() => void) | null): Promise<T> {
    return this.then().finally(onFinally)
  }

  get [Symbol.toStringTag](): string {
    return 'ApiPromise'
  }
}

const meterHeaders = {
  search_rows: 'x-search-rows-remaining',
  store_exports: 'x-store-exports-remaining',
  contact_credits: 'x-contact-credits-remaining',
} as const

export function createReply<T>(data: T, status: number, headers: HeadersLike): Reply<T> {
  return {
    ...{ data, status, headers },
    requestId: headers.get('x-request-id') ?? undefined,
    remaining: readRemaining(headers),
    replayed: headers.get('idempotent-replayed') === 'true',
  }
}

function readRemaining(headers: HeadersLike): Remaining {
  const remaining: Remaining = {}
  for (const [meter, header] of Object.entries(meterHeaders)) {
    const value = headers.get(header)
    if (value !== null && /^\d+$/.test(value)) remaining[meter] = Number(value)
  }
  // RateLimit: "requests_per_minute";r=57;t=60, …
  for (const [, limit, value] of (headers.get('ratelimit') ?? '').matchAll(/"(\w+)"\s*;\s*r=(\d+)/g))
    remaining[limit!] = Number(value)
  return remaining
}
