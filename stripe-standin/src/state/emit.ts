import { newId, type RequestContext } from './database.ts'
import type { WebhookEndpoint } from './records.ts'

/** Any API object. */
export type ApiObject = Readonly<Record<string, unknown>>

/** Records an event about `object` and queues it for every subscribed endpoint. */
export function emitEvent(ctx: RequestContext, type: string, object: ApiObject, previousAttributes?: ApiObject): void {
  const event = ctx.db.put('events', {
    id: newId('evt_1'),
    created: ctx.now,
    type,
    data: { object, ...(previousAttributes && { previous_attributes: previousAttributes }) },
    request: { id: ctx.request.id, idempotency_key: ctx.request.idempotencyKey },
  })
  for (const endpoint of ctx.db.all('webhook_endpoints')) {
    if (!isSubscribed(endpoint, type)) continue
    ctx.db.put('deliveries', {
      id: newId('whd_'),
      created: ctx.now,
      event: event.id,
      endpoint: endpoint.id,
      attempts: 0,
      next_attempt_at_ms: ctx.now * 1000,
    })
  }
}

/** Records an `….updated` event with the previous values; none if the visible object is unchanged. */
export function emitUpdatedEvent(ctx: RequestContext, type: string, before: ApiObject, after: ApiObject): void {
  const previous = previousAttributes(before, after)
  if (Object.keys(previous).length > 0) emitEvent(ctx, type, after, previous)
}

function isSubscribed(endpoint: WebhookEndpoint, type: string): boolean {
  if (endpoint.status !== 'enabled') return false
  return endpoint.enabled_events.includes('*') || endpoint.enabled_events.includes(type)
}

/** The previous values of changed fields, recursively through hashes. A changed list is included whole. */
function previousAttributes(before: ApiObject, after: ApiObject): ApiObject {
  const changed: Record<string, unknown> = {}
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const was = before[key]
    const is = after[key]
    if (JSON.stringify(was) === JSON.stringify(is)) continue
    changed[key] = isHash(was) && isHash(is) ? previousAttributes(was, is) : (was ?? null)
  }
  return changed
}

function isHash(value: unknown): value is ApiObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A complete list inside another object. */
export function completeList<T>(url: string, data: readonly T[]) {
  return { object: 'list', data, has_more: false, url }
}
