import type { RequestContext } from '../state/database.ts'
import type { StripeEvent, WebhookEndpoint } from '../state/records.ts'

/** The version of Stripe's API whose shapes the stand-in speaks. */
export const apiVersion = '2026-10-28.endive'

/** An event as the API shows it and as it is sent to endpoints. */
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

/** A webhook endpoint as the API shows it; its secret is told once, in reply to its creation. */
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
