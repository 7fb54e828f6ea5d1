import { defineEndpoint } from '../api/endpoint.ts'
import { listParams, matchesFilter, paginate } from '../api/lists.ts'
import {
  applyMetadataChange,
  boolean,
  list,
  matchesTimeFilter,
  metadata,
  required,
  text,
  timeFilter,
  unsettable,
  url,
} from '../api/params.ts'
import { presentEvent, presentWebhookEndpoint } from '../presenters/events.ts'
import { newId, type RequestContext } from '../state/database.ts'
import { resourceMissing } from '../state/errors.ts'
import type { WebhookEndpoint } from '../state/records.ts'

const enabledEvents = list(text, { max: 500 })

function getWebhookEndpoint(ctx: RequestContext, id: string): WebhookEndpoint {
  const found = ctx.db.get('webhook_endpoints', id)
  if (!found) throw resourceMissing('webhook endpoint', id)
  return found
}

export const webhookEndpointEndpoints = [
  defineEndpoint({
    method: 'POST',
    path: '/v1/webhook_endpoints',
    params: {
      api_version: text,
      description: unsettable(text),
      enabled_events: required(enabledEvents),
      metadata,
      url: required(url),
    },
    run(ctx, params) {
      const created = ctx.db.put('webhook_endpoints', {
        id: newId('we_1'),
        created: ctx.now,
        url: params.url,
        secret: newId('whsec_', 32),
        enabled_events: params.enabled_events,
        description: params.description ?? null,
        metadata: applyMetadataChange({}, params.metadata),
        status: 'enabled',
        api_version: params.api_version ?? null,
      })
      return { ...presentWebhookEndpoint(created), secret: created.secret }
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/webhook_endpoints',
    params: listParams,
    run: (ctx, page) =>
      paginate({
        url: '/v1/webhook_endpoints',
        objectName: 'webhook endpoint',
        records: ctx.db.all('webhook_endpoints'),
        page,
        present: presentWebhookEndpoint,
      }),
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/webhook_endpoints/:id',
    params: {},
    run: (ctx, _params, { id }) => presentWebhookEndpoint(getWebhookEndpoint(ctx, id)),
  }),
  defineEndpoint({
    method: 'POST',
    path: '/v1/webhook_endpoints/:id',
    params: { description: unsettable(text), disabled: boolean, enabled_events: enabledEvents, metadata, url },
    run(ctx, params, { id }) {
      const before = getWebhookEndpoint(ctx, id)
      const { description, disabled } = params
      const changed = ctx.db.update('webhook_endpoints', before, {
        url: params.url ?? before.url,
        enabled_events: params.enabled_events ?? before.enabled_events,
        description: description === undefined ? before.description : description,
        metadata: applyMetadataChange(before.metadata, params.metadata),
        status: disabled === undefined ? before.status : disabled ? 'disabled' : 'enabled',
      })
      return presentWebhookEndpoint(changed)
    },
  }),
  defineEndpoint({
    method: 'DELETE',
    path: '/v1/webhook_endpoints/:id',
    params: {},
    run(ctx, _params, { id }) {
      getWebhookEndpoint(ctx, id)
      ctx.db.remove('webhook_endpoints', id)
      for (const delivery of ctx.db.all('deliveries'))
        if (delivery.endpoint === id) ctx.db.remove('deliveries', delivery.id)
      return { id, object: 'webhook_endpoint', deleted: true }
    },
  }),
]

/** Whether an event type matches a filter; `customer.*` matches by prefix. */
function matchesEventType(type: string, wanted: string): boolean {
  return wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted
}

export const eventEndpoints = [
  defineEndpoint({
    method: 'GET',
    path: '/v1/events',
    params: {
      ...listParams,
      created: timeFilter,
      delivery_success: boolean,
      type: text,
      types: list(text, { max: 20 }),
    },
    run(ctx, { created, delivery_success: delivered, type, types, ...page }) {
      const pending = new Set(ctx.db.all('deliveries').map(({ event }) => event))
      return paginate({
        url: '/v1/events',
        objectName: 'event',
        records: ctx.db.all('events'),
        matches: (event) =>
          (type === undefined || matchesEventType(event.type, type)) &&
          (types === undefined || types.some((wanted) => matchesEventType(event.type, wanted))) &&
          matchesFilter(delivered, !pending.has(event.id)) &&
          matchesTimeFilter(event.created, created),
        page,
        present: (event) => presentEvent(ctx, event),
      })
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/events/:id',
    params: {},
    run(ctx, _params, { id }) {
      const event = ctx.db.get('events', id)
      if (!event) throw resourceMissing('event', id)
      return presentEvent(ctx, event)
    },
  }),
]
