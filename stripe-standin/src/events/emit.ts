import { type Desk, newId } from '../state/database.ts'
import type { WebhookEndpoint } from '../state/records.ts'

/** Any object of the API. */
export type Presented = Readonly<Record<string, unknown>>

/** Records an event about `object` and puts it on its way to every endpoint that wants it. */
export function emit(desk: Desk, type: string, object: Presented, previousAttributes?: Presented): void {
  const event = desk.book.put('events', {
    id: newId('evt_1'),
    created: desk.now,
    type,
    data: { object, ...(previousAttributes && { previous_attributes: previousAttributes }) },
    request: { id: desk.request.id, idempotency_key: desk.request.idempotencyKey },
  })
  for (const endpoint of desk.book.all('webhook_endpoints')) {
    if (!wants(endpoint, type)) continue
    desk.book.put('deliveries', {
      id: newId('whd_'),
      created: desk.now,
      event: event.id,
      endpoint: endpoint.id,
      attempts: 0,
      next_attempt_at_ms: desk.now * 1000,
    })
  }
}

/** Records an `….updated` event that tells what was before; none when nothing that can be seen has changed. */
export function emitUpdate(desk: Desk, type: string, before: Presented, after: Presented): void {
  const previous = changedAttributes(before, after)
  if (Object.keys(previous).length > 0) emit(desk, type, after, previous)
}

function wants(endpoint: WebhookEndpoint, type: string): boolean {
  if (endpoint.status !== 'enabled') return false
  return endpoint.enabled_events.includes('*') || endpoint.enabled_events.includes(type)
}

/** The former values of what differs, hash by hash; a list that differs is told whole. */
function changedAttributes(before: Presented, after: Presented): Presented {
  const changed: Record<string, unknown> = {}
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const was = before[key]
    const is = after[key]
    if (JSON.stringify(was) === JSON.stringify(is)) continue
    changed[key] = isHash(was) && isHash(is) ? changedAttributes(was, is) : (was ?? null)
  }
  return changed
}

function isHash(value: unknown): value is Presented {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
