import { invalidArgument } from './errors.ts'
import type { AbortSignalLike, Fetch } from './platform.ts'

export interface StoredexOptions {
  /** A secret. It is sent to `baseUrl` alone. */
  apiKey: string
  /** The address of the service, without `/api/v1`: `https://storedex.example`. */
  baseUrl: string
  /** The longest time for one attempt, the reply's body included. Default: 30,000. */
  timeoutMs?: number | undefined
  /** The longest time for a call in all: attempts, waits, and the parts of a long reveal. Default: no bound. */
  totalTimeoutMs?: number | undefined
  /** How often a request is repeated, besides the first attempt. Default: 3. */
  maxRetries?: number | undefined
  /** Used instead of the global `fetch`. */
  fetch?: Fetch | undefined
}

/** Options of a single call; what is left out is as in the client's options. */
export interface CallOptions {
  signal?: AbortSignalLike | undefined
  timeoutMs?: number | undefined
  totalTimeoutMs?: number | undefined
  maxRetries?: number | undefined
}

/** Options of a call whose reply the service keeps for 24 hours. */
export interface IdempotentCallOptions extends CallOptions {
  /** 1 to 255 printable ASCII characters. By default a new one for each call, kept across its retries. */
  idempotencyKey?: string | undefined
}

/** A request of the API. */
export interface ApiRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below `/api/v1`, such as `/stores/search`. */
  path: string
  query?: Record<string, string | number | undefined> | undefined
  body?: object | undefined
  idempotencyKey?: string | undefined
  headers?: Record<string, string> | undefined
  /** False if doing it twice differs from doing it once: then it is not repeated when the service may have done it. */
  repeatable?: boolean | undefined
}

export interface Limits {
  timeoutMs: number
  totalTimeoutMs: number
  maxRetries: number
}

const defaults: Limits = { timeoutMs: 30_000, totalTimeoutMs: Number.POSITIVE_INFINITY, maxRetries: 3 }

/** The limits of a call; refuses values out of range. */
export function resolveLimits(given: CallOptions | undefined, base: Limits = defaults): Limits {
  const timeoutMs = given?.timeoutMs ?? base.timeoutMs
  const totalTimeoutMs = given?.totalTimeoutMs ?? base.totalTimeoutMs
  const maxRetries = given?.maxRetries ?? base.maxRetries
  if (!(timeoutMs > 0)) throw invalidArgument('timeoutMs must be a positive number.', 'timeoutMs')
  if (!(totalTimeoutMs > 0)) throw invalidArgument('totalTimeoutMs must be a positive number.', 'totalTimeoutMs')
  if (!Number.isInteger(maxRetries) || maxRetries < 0)
    throw invalidArgument('maxRetries must be a whole number, 0 or greater.', 'maxRetries')
  return { timeoutMs, totalTimeoutMs, maxRetries }
}

/** The address without a slash at its end. Never repeats it in an error: it may contain a password. */
export function parseBaseUrl(text: unknown): string {
  const url = parseUrl(text)
  if (!url || !/^https?:$/.test(url.protocol))
    throw invalidArgument('baseUrl must be the address of the service, such as https://storedex.example.', 'baseUrl')
  if (url.username !== '' || url.password !== '')
    throw invalidArgument('baseUrl must not contain a user or a password.', 'baseUrl')
  if (url.search !== '' || url.hash !== '')
    throw invalidArgument('baseUrl must have neither a query nor a fragment.', 'baseUrl')
  const path = url.pathname.replace(/(?<!\/)\/+$/, '')
  if (/\/api(\/v\d+)?$/.test(path))
    throw invalidArgument('baseUrl must be the address of the service without /api/v1.', 'baseUrl')
  return url.origin + path
}

function parseUrl(text: unknown): URL | undefined {
  try {
    return typeof text === 'string' ? new URL(text) : undefined
  } catch {
    return
  }
}

/** The key, if a header can carry it. Never repeats it in an error. */
export function parseApiKey(key: unknown): string {
  if (typeof key !== 'string' || key === '') throw invalidArgument('apiKey is missing.', 'apiKey')
  if (!/^[\x21-\x7e]+$/.test(key))
    throw invalidArgument('apiKey contains a space, a line break or a character outside of ASCII.', 'apiKey')
  return key
}
