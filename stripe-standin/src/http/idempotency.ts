import { createHash } from 'node:crypto'
import type { Standin } from '../standin.ts'
import type { RequestContext } from '../state/database.ts'
import type { ApiObject } from '../state/emit.ts'
import { keepsChanges, StripeError } from '../state/errors.ts'
import { takeFailureAfterWork } from '../state/faults.ts'
import type { KeptReply } from '../state/records.ts'

/** A reply; for a replay, also the id of the original request. */
type ReplyToSend = Reply & { readonly replayOf?: string }

/**
 * Runs the work of a request once per idempotency key. Later requests with the key get the first reply, whether success
 * or error. Requests rejected before the work started do not use the key.
 */
export async function runIdempotent(
  standin: Standin,
  work: (ctx: RequestContext) => ApiObject,
  request: RequestContext['request'],
  fingerprint: string,
): Promise<ReplyToSend> {
  const { idempotencyKey: key } = request
  const attempt = (ctx: RequestContext): ReplyToSend => {
    const kept = key === null ? undefined : findKeptReply(ctx, key, fingerprint)
    if (kept) return { status: kept.status, body: kept.body, replayOf: kept.request_id }
    const done = runForReply(() => work(ctx))
    const failure = takeFailureAfterWork(standin.faults)
    const reply = failure ? errorReply(failure) : done
    if (key !== null) saveReply(ctx, key, fingerprint, reply)
    return reply
  }
  try {
    return await standin.change(attempt, request)
  } catch (error) {
    if (!(error instanceof StripeError) || error.type === 'idempotency_error') throw error
    const rejection = errorReply(error)
    // The work was rolled back, so the error reply is saved in a transaction of its own.
    if (key !== null) await standin.change((ctx) => saveReply(ctx, key, fingerprint, rejection), request)
    return rejection
  }
}

/** Runs the work. A declined charge is a reply too, because its changes are kept. */
function runForReply(work: () => ApiObject): Reply {
  try {
    return { status: 200, body: JSON.stringify(work()) }
  } catch (error) {
    if (!keepsChanges(error)) throw error
    return errorReply(error)
  }
}

function errorReply(error: StripeError): Reply {
  return { status: error.status, body: JSON.stringify(error.body()) }
}

interface Reply {
  readonly status: number
  readonly body: string
}

/** The saved reply for this key; throws if the key was used with a different request. */
function findKeptReply(ctx: RequestContext, key: string, fingerprint: string): KeptReply | undefined {
  const kept = ctx.db.get('kept_replies', key)
  if (kept && kept.fingerprint !== fingerprint) {
    throw new StripeError(
      400,
      'idempotency_error',
      `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
    )
  }
  return kept
}

function saveReply(ctx: RequestContext, key: string, fingerprint: string, { status, body }: Reply): void {
  const requestId = ctx.request.id ?? ''
  ctx.db.put('kept_replies', { id: key, created: ctx.now, fingerprint, request_id: requestId, status, body })
}

/** A hash of the request that ignores the order of parameters. */
export function requestFingerprint(method: string, path: string, form: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([method, path, sortKeys(form)]))
    .digest('hex')
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, item]) => [key, sortKeys(item)])
}
