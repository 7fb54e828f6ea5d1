import { endpoint } from '../http/endpoint.ts'
import { noSuch } from '../http/errors.ts'
import { listPage, listParams } from '../http/lists.ts'
import { changedMetadata, flag, list, metadata, required, text, unsettable, url } from '../http/params.ts'
import { presentWebhookEndpoint } from '../presenters/events.ts'
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
