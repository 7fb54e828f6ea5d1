import { endpoint } from '../http/endpoint.ts'
import { noSuch } from '../http/errors.ts'
import { allows, listPage, listParams } from '../http/lists.ts'
import {
  changedMetadata,
  flag,
  isWithin,
  list,
  metadata,
  moments,
  required,
  text,
  unsettable,
  url,
} from '../http/params.ts'
import { presentEvent, presentWebhookEndpoint } from '../presenters/events.ts'
import { type Desk, newId } from '../state/database.ts'
import type { WebhookEndpoint } from '../state/records.ts'

const enabledEvents = list(text, { max: 500 })

function endpointNamed(desk: Desk, id: string): WebhookEndpoint {
  const found = desk.book.get('webhook_endpoints', id)
  if (!found) throw noSuch('webhook endpoint', id)
  return found
}

export const webhookEndpointEndpoints = [
  endpoint({
    method: 'POST',
    path: '/v1/webhook_endpoints',
    params: {
      api_version: text,
      description: unsettable(text),
      enabled_events: required(enabledEvents),
      metadata,
      url: required(url),
    },
    run(desk, params) {
      const made = desk.book.put('webhook_endpoints', {
        id: newId('we_1'),
        created: desk.now,
        url: params.url,
        secret: newId('whsec_', 32),
        enabled_events: params.enabled_events,
        description: params.description ?? null,
        metadata: changedMetadata({}, params.metadata),
        status: 'enabled',
        api_version: params.api_version ?? null,
      })
      return { ...presentWebhookEndpoint(made), secret: made.secret }
    },
  }),
  endpoint({
    method: 'GET',
    path: '/v1/webhook_endpoints',
    params: listParams,
    run: (desk, page) =>
      listPage({
        url: '/v1/webhook_endpoints',
        what: 'webhook endpoint',
        records: desk.book.all('webhook_endpoints'),
        page,
        present: presentWebhookEndpoint,
      }),
  }),
  endpoint({
    method: 'GET',
    path: '/v1/webhook_endpoints/:id',
    params: {},
    run: (desk, _params, { id }) => presentWebhookEndpoint(endpointNamed(desk, id)),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/webhook_endpoints/:id',
    params: { description: unsettable(text), disabled: flag, enabled_events: enabledEvents, metadata, url },
    run(desk, params, { id }) {
      const before = endpointNamed(desk, id)
      const { description, disabled } = params
      const changed = desk.book.amend('webhook_endpoints', before, {
        url: params.url ?? before.url,
        enabled_events: params.enabled_events ?? before.enabled_events,
        description: description === undefined ? before.description : description,
        metadata: changedMetadata(before.metadata, params.metadata),
        status: disabled === undefined ? before.status : disabled ? 'disabled' : 'enabled',
      })
      return presentWebhookEndpoint(changed)
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/webhook_endpoints/:id',
    params: {},
    run(desk, _params, { id }) {
      endpointNamed(desk, id)
      desk.book.remove('webhook_endpoints', id)
      for (const delivery of desk.book.all('deliveries'))
        if (delivery.endpoint === id) desk.book.remove('deliveries', delivery.id)
      return { id, object: 'webhook_endpoint', deleted: true }
    },
  }),
]

/** Whether an event has a wanted type; `customer.*` stands for all that begin so. */
function isOf(type: string, wanted: string): boolean {
  return wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted
}

export const eventEndpoints = [
  endpoint({
    method: 'GET',
    path: '/v1/events',
    params: { ...listParams, created: moments, delivery_success: flag, type: text, types: list(text, { max: 20 }) },
    run(desk, { created, delivery_success: delivered, type, types, ...page }) {
      const pending = new Set(desk.book.all('deliveries').map(({ event }) => event))
      return listPage({
        url: '/v1/events',
        what: 'event',
        records: desk.book.all('events'),
        matches: (event) =>
          (type === undefined || isOf(event.type, type)) &&
          (types === undefined || types.some((wanted) => isOf(event.type, wanted))) &&
          allows(delivered, !pending.has(event.id)) &&
          isWithin(event.created, created),
        page,
        present: (event) => presentEvent(desk, event),
      })
    },
  }),
  endpoint({
    method: 'GET',
    path: '/v1/events/:id',
    params: {},
    run(desk, _params, { id }) {
      const event = desk.book.get('events', id)
      if (!event) throw noSuch('event', id)
      return presentEvent(desk, event)
    },
  }),
]
