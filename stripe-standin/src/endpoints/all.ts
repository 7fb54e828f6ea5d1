import type { Endpoint } from '../http/endpoint.ts'
import { checkoutSessionEndpoints } from './checkout-sessions.ts'
import { customerEndpoints } from './customers.ts'
import { eventEndpoints } from './events.ts'
import { invoiceItemEndpoints } from './invoice-items.ts'
import { invoiceEndpoints } from './invoices.ts'
import { paymentMethodEndpoints } from './payment-methods.ts'
import { portalConfigurationEndpoints } from './portal-configurations.ts'
import { portalSessionEndpoints } from './portal-sessions.ts'
import { priceEndpoints } from './prices.ts'
import { productEndpoints } from './products.ts'
import { subscriptionScheduleEndpoints } from './subscription-schedules.ts'
import { subscriptionEndpoints } from './subscriptions.ts'
import { webhookEndpointEndpoints } from './webhooks.ts'

/** All that the stand-in speaks of Stripe's API. */
export const allEndpoints: readonly Endpoint[] = [
  ...customerEndpoints,
  ...productEndpoints,
  ...priceEndpoints,
  ...paymentMethodEndpoints,
  ...subscriptionEndpoints,
  ...subscriptionScheduleEndpoints,
  ...invoiceEndpoints,
  ...invoiceItemEndpoints,
  ...checkoutSessionEndpoints,
  ...portalConfigurationEndpoints,
  ...portalSessionEndpoints,
  ...webhookEndpointEndpoints,
  ...eventEndpoints,
]
