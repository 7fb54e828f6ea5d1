import { markOffline, markOnline } from './connection.ts'
import { ApiFailure } from './failure.ts'
import { addressOf, type CallOperation, type CallRequest, methodOf, type Reply } from './operations.ts'

export interface CallOptions {
  signal?: AbortSignal
  /** Bytes that are sent instead of a body in JSON. */
  file?: Blob
  /** Gets the headers of a reply that is no error, such as what is left of a meter. */
  onHeaders?: (headers: Headers) => void
  /** The caller itself deals with a session that is gone. */
  keepsPage?: boolean
}

/** The reactions of the layout to replies of the server. */
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

/** Calls an operation: `call('createKey', { account, body: { name } })`. Errors are of `ApiFailure`. */
export async function call<Id extends CallOperation>(
  id: Id,
  request: CallRequest<Id>,
  options: CallOptions = {},
): Promise<Reply<Id>> {
  const repeat = () => send(id, request as SentRequest, options) as Promise<Reply<Id>>
  try {
    return await repeat()
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    if (error.code === 'not_signed_in' && !options.keepsPage) hooks.onSignedOut()
    if (error.code === 'fresh_sign_in_required' && (await hooks.signInAgain())) return repeat()
    throw error
  }
}

interface SentRequest {
  body?: unknown
  headers?: Record<string, string>
}

async function send(id: CallOperation, request: SentRequest, options: CallOptions): Promise<unknown> {
  const { body, headers, ...parameters } = request
  const { signal, file, onHeaders } = options
  const method = methodOf(id)
  const init: RequestInit = { method, credentials: 'same-origin', headers: { accept: 'application/json', ...headers } }
  if (file) init.body = file
  else if (body !== undefined || method === 'POST') {
    init.body = JSON.stringify(body ?? {})
    init.headers = { ...init.headers, 'content-type': 'application/json' }
  }
  if (signal) init.signal = signal
  let response: Response
  let text: string
  try {
    response = await fetch(addressOf(id, parameters as CallRequest<CallOperation>), init)
    text = await response.text()
  } catch (error) {
    if (signal?.aborted) throw error
    throw unreachable()
  }
  const reply = parseJson(text)
  // A proxy answers for a server that is away, and not in JSON.
  if (reply === undefined && response.status >= 502) throw unreachable()
  markOnline()
  if (!response.ok) throw toFailure(response, reply)
  onHeaders?.(response.headers)
  return reply
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

/** 128 random bits in hexadecimal digits. `crypto.randomUUID` is missing on pages that are served over plain http. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
