import { invalidArgument, type PartialReply, StoredexError } from './errors.ts'
import type { Reply } from './reply.ts'

/** A part of a long call: the first is sent with the call's own Idempotency-Key. */
interface Part {
  items: string[]
  idempotencyKey: string
}

interface Parts<T> {
  /** What the items are called in the API. */
  name: string
  size: number
  idempotencyKey: string
  send: (part: Part) => Promise<Reply<T>>
  /** Joins the replies of several parts. */
  merge: (replies: T[]) => T
  /** Whether an error of a part means that it has no results. */
  isEmpty?: (error: unknown) => boolean
}

/**
 * Sends any number of items in parts, one after the other, and merges the replies. If a part fails, the error says what was done.
 * Each part has an Idempotency-Key that follows from the call's, so the same call continues where it stopped.
 */
export async function sendInParts<T extends PartialReply>(
  items: readonly string[],
  parts: Parts<T>,
): Promise<Reply<T>> {
  const { name, size, idempotencyKey, send, merge, isEmpty = () => false } = parts
  const distinct = [...new Set(items)]
  const replies: Reply<T>[] = []
  let empty: unknown
  // Without items the API refuses the call, as it should.
  for (let done = 0; done < Math.max(1, distinct.length); done += size) {
    const part = {
      items: distinct.slice(done, done + size),
      idempotencyKey: await deriveKey(idempotencyKey, done / size),
    }
    try {
      replies.push(await send(part))
    } catch (error) {
      if (distinct.length > size && isEmpty(error)) empty ??= error
      else
        throw addProgress(error, { name, items, distinct, done, idempotencyKey, partial: mergeReplies(replies, merge) })
    }
  }
  const last = replies.at(-1)
  if (!last) throw empty
  return { ...last, data: mergeReplies(replies, merge)! }
}

function mergeReplies<T>(replies: Reply<T>[], merge: (replies: T[]) => T): T | undefined {
  return replies.length > 1 ? merge(replies.map(({ data }) => data)) : replies[0]?.data
}

interface Failure {
  name: string
  items: readonly string[]
  distinct: string[]
  done: number
  idempotencyKey: string
  partial: PartialReply | undefined
}

function addProgress(error: unknown, { name, items, distinct, done, idempotencyKey, partial }: Failure): unknown {
  if (!(error instanceof StoredexError)) return error
  error.idempotencyKey &&= idempotencyKey
  const index = new RegExp(`^${name}\\[(\\d+)\\]`).exec(error.param ?? '')?.[1]
  // The place in the caller's list, not in the part's.
  if (index) error.param = `${name}[${items.indexOf(distinct[done + Number(index)]!)}]`
  return error.addProgress({ done, of: distinct.length }, partial)
}

const longestKey = 255

/** The key of a part: the call's own for the first, then one that is the same whenever the call is repeated. */
async function deriveKey(key: string, index: number): Promise<string> {
  if (index === 0) return key
  const suffix = `/${index + 1}`
  if (key.length + suffix.length <= longestKey) return key + suffix
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key))
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('') + suffix
}

/** The caller's Idempotency-Key, or a new one. */
export function resolveIdempotencyKey(given: string | undefined): string {
  if (given === undefined) return crypto.randomUUID()
  if (typeof given !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(given) || given.trim() !== given)
    throw invalidArgument('idempotencyKey must have 1 to 255 printable ASCII characters.', 'idempotencyKey')
  return given
}
