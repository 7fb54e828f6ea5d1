import type { Presented } from '../events/emit.ts'
import type { Standin } from '../standin.ts'
import type { Desk } from '../state/database.ts'
import { keepsChanges, StripeError } from './errors.ts'
import { failureAfterwards } from './failing.ts'
import { keepReply, keptReply, type Reply } from './idempotency.ts'

/** A reply, and where it is a kept one the request that it was first given to. */
type Sent = Reply & { readonly replayOf?: string }

/**
 * Does the work of a request once for its idempotency key, and gives whoever comes with the key again the first reply,
 * be it a success or a refusal. Only what was refused before the work began leaves the key unused.
 */
export async function doOnce(
  standin: Standin,
  work: (desk: Desk) => Presented,
  request: Desk['request'],
  fingerprint: string,
): Promise<Sent> {
  const { idempotencyKey: key } = request
  const attempt = (desk: Desk): Sent => {
    const kept = key === null ? undefined : keptReply(desk, key, fingerprint)
    if (kept) return { status: kept.status, body: kept.body, replayOf: kept.request_id }
    const done = replyOf(() => work(desk))
    const told = failureAfterwards(standin.faults) ?? done
    if (key !== null) keepReply(desk, key, fingerprint, told)
    return told
  }
  try {
    return await standin.change(attempt, request)
  } catch (error) {
    if (!(error instanceof StripeError) || error.type === 'idempotency_error') throw error
    const refused = asReply(error)
    // Its work was undone, so the refusal is noted by itself.
    if (key !== null) await standin.change((desk) => keepReply(desk, key, fingerprint, refused), request)
    return refused
  }
}

/** Runs the work. A declined attempt to charge is an answer too: what it changed stays. */
function replyOf(work: () => Presented): Reply {
  try {
    return { status: 200, body: JSON.stringify(work()) }
  } catch (error) {
    if (!keepsChanges(error)) throw error
    return asReply(error)
  }
}

function asReply(error: StripeError): Reply {
  return { status: error.status, body: JSON.stringify(error.body()) }
}
