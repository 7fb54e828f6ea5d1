import { markOffline, markOnline } from './connection.ts'
import { ApiFailure } from './failure.ts'

const root = '/console/api'

type QueryValue = string | number | boolean | null | undefined | readonly string[]

export interface CallOptions {
  /** Sent as JSON; a part of a file as it is, with its own media type. */
  body?: unknown
  /** Left out where null, undefined or an empty list; a list repeats the name. */
  query?: Record<string, QueryValue>
  signal?: AbortSignal
  /** Further request headers, such as an Idempotency-Key. */
  headers?: Record<string, string>
  /** Gets the headers of a reply that is no error, such as what is left of a meter. */
  onHeaders?: (headers: Headers) => void
  /** The caller itself deals with a session that is gone. */
  keepsPage?: boolean
}

/** What the layout does when the server asks for it. */
interface ClientHooks {
  /** The session is gone: sign in, then back to here. */
  onSignedOut: () => void
  /** Ask for the password again. False when the person does not want to. */
  signInAgain: () => Promise<boolean>
}

let hooks: ClientHooks = { onSignedOut: () => undefined, signInAgain: async () => false }

export function setClientHooks(next: ClientHooks): void {
  hooks = next
}

/** Calls of the console's API. `path` is what follows `/console/api`; build it with `path` below. */
export const api = {
  get: <Reply>(path: string, options?: Omit<CallOptions, 'body'>) => call<Reply>('GET', path, options),
  post: <Reply>(path: string, body: unknown = {}, options?: CallOptions) =>
    call<Reply>('POST', path, { ...options, body }),
  put: <Reply>(path: string, body: unknown, options?: CallOptions) => call<Reply>('PUT', path, { ...options, body }),
  patch: <Reply>(path: string, body: unknown, options?: CallOptions) =>
    call<Reply>('PATCH', path, { ...options, body }),
  delete: <Reply>(path: string, options?: CallOptions) => call<Reply>('DELETE', path, options),
}

/** ``path`/accounts/${account}/keys` ``: a template whose values are escaped. */
export function path(texts: TemplateStringsArray, ...values: (string | number)[]): string {
  return String.raw({ raw: texts }, ...values.map(encodeURIComponent))
}

/** The address of a file, for a link. */
export function apiUrl(path: string): string {
  return root + path
}

async function call<Reply>(method: string, path: string, options: CallOptions = {}): Promise<Reply> {
  try {
    return await send<Reply>(method, path, options)
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    if (error.code === 'not_signed_in' && !options.keepsPage) hooks.onSignedOut()
    if (error.code === 'fresh_sign_in_required' && (await hooks.signInAgain()))
      return send<Reply>(method, path, options)
    throw error
  }
}

async function send<Reply>(method: string, path: string, options: CallOptions): Promise<Reply> {
  const { body, query, signal, headers, onHeaders } = options
  const init: RequestInit = { method, credentials: 'same-origin', headers: { accept: 'application/json', ...headers } }
  if (body instanceof Blob) init.body = body
  else if (body !== undefined) {
    init.body = JSON.stringify(body)
    init.headers = { ...init.headers, 'content-type': 'application/json' }
  }
  if (signal) init.signal = signal
  let response: Response
  let text: string
  try {
    response = await fetch(`${root}${path}${queryString(query)}`, init)
    text = await response.text()
  } catch (error) {
    if (signal?.aborted) throw error
    throw unreachable()
  }
  const reply = parseJson(text)
  // A proxy answers for a server that is away, and not in JSON.
  if (reply === undefined && response.status >= 502) throw unreachable()
  markOnline()
  if (response.ok) {
    onHeaders?.(response.headers)
    return reply as Reply
  }
  throw toFailure(response, reply)
}

function unreachable(): ApiFailure {
  markOffline()
  return new ApiFailure('unreachable', 'The server cannot be reached. Nothing that you entered is lost; try again.')
}

function toFailure(response: Response, reply: unknown): ApiFailure {
  const { code, message, param, request_id, billing } = (reply as ErrorReply | undefined)?.error ?? {}
  const seconds = Number(response.headers.get('retry-after'))
  return new ApiFailure(code ?? 'unexpected_reply', message ?? 'The server answered in a way that is not understood.', {
    status: response.status,
    param,
    requestId: request_id ?? response.headers.get('x-request-id') ?? undefined,
    retryAfterMs: seconds > 0 ? seconds * 1_000 : undefined,
    billing,
  })
}

interface ErrorReply {
  error?: { code?: string; message?: string; param?: string; request_id?: string; billing?: Record<string, unknown> }
}

function parseJson(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text)
  } catch {
    return undefined
  }
}

function queryString(query: CallOptions['query'] = {}): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined) continue
    for (const each of Array.isArray(value) ? value : [value]) params.append(name, String(each))
  }
  return params.size > 0 ? `?${params}` : ''
}
