import { createHash } from 'node:crypto'
import type { Desk } from '../state/database.ts'
import type { KeptReply } from '../state/records.ts'
import { StripeError } from './errors.ts'

/** What a request was answered with. */
export interface Reply {
  readonly status: number
  readonly body: string
}

/** The reply that was kept under this key; throws when the key came with another request before. */
export function keptReply(desk: Desk, key: string, fingerprint: string): KeptReply | undefined {
  const kept = desk.book.get('kept_replies', key)
  if (kept && kept.fingerprint !== fingerprint) {
    throw new StripeError(
      400,
      'idempotency_error',
      `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
    )
  }
  return kept
}

export function keepReply(desk: Desk, key: string, fingerprint: string, { status, body }: Reply): void {
  const requestId = desk.request.id ?? ''
  desk.book.put('kept_replies', { id: key, created: desk.now, fingerprint, request_id: requestId, status, body })
}

/** Tells requests apart by what they ask, whatever the order of their parameters. */
export function fingerprintOf(method: string, path: string, form: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([method, path, inOrder(form)]))
    .digest('hex')
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, item]) => [key, inOrder(item)])
}
