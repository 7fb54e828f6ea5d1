import type { RequestContext } from '../state/database.ts'
import type { StripeEvent, WebhookEndpoint } from '../state/records.ts'

/** The Stripe API version that the stand-in imitates. */
export const apiVersion = '2026-10-28.endive'

/** The event object as the API returns it and as webhooks receive it. */
export function presentEvent(ctx: RequestContext, event: StripeEvent) {
  return {
    id: event.id,
    object: 'event',
    api_version: apiVersion,
    created: event.created,
    data: event.data,
    livemode: false,
    pending_webhooks: ctx.db.all('deliveries').filter((delivery) => delivery.event === event.id).length,
    request: event.request,
    type: event.type,
  }
}

/** The API's webhook endpoint object. Only the reply to its creation adds the secret. */
export function presentWebhookEndpoint(endpoint: WebhookEndpoint) {
  return {
    id: endpoint.id,
    object: 'webhook_endpoint',
    api_version: endpoint.api_version,
    application: null,
    created: endpoint.created,
    description: endpoint.description,
    enabled_events: endpoint.enabled_events,
    livemode: false,
    metadata: endpoint.metadata,
    status: endpoint.status,
    url: endpoint.url,
  }
}
