import { defineEndpoint } from '../api/endpoint.ts'
import { listParams, matchesFilter, paginate } from '../api/lists.ts'
import {
  applyMetadataChange,
  boolean,
  email,
  hash,
  ignored,
  integer,
  list,
  matchesTimeFilter,
  metadata,
  oneOf,
  quantity,
  required,
  text,
  timeFilter,
  url,
} from '../api/params.ts'
import { expireCheckoutSession, getCheckoutSession } from '../billing/checkout.ts'
import { presentCheckoutLineItems, presentCheckoutSession } from '../presenters/sessions.ts'
import { newId, type RequestContext } from '../state/database.ts'
import { invalidRequest } from '../state/errors.ts'
import { getCustomer, getSubscribablePrice } from './lookup.ts'
import { checkCompatiblePrices, trialSettingsParam } from './subscription-params.ts'

const daySeconds = 86_400
const minLifetimeSeconds = 30 * 60
const minTrialSeconds = 2 * daySeconds

function resolveExpiry(ctx: RequestContext, wanted: number | undefined): number {
  if (wanted === undefined) return ctx.now + daySeconds
  // Tolerates a minute of transit.
  if (wanted < ctx.now + minLifetimeSeconds - 60)
    throw invalidRequest('The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.', {
      param: 'expires_at',
    })
  if (wanted > ctx.now + daySeconds + 60)
    throw invalidRequest('The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.', {
      param: 'expires_at',
    })
  return wanted
}

export const checkoutSessionEndpoints = [
  defineEndpoint({
    method: 'POST',
    path: '/v1/checkout/sessions',
    params: {
      allow_promotion_codes: boolean,
      automatic_tax: ignored,
      billing_address_collection: oneOf('auto', 'required'),
      branding_settings: ignored,
      cancel_url: url,
      client_reference_id: text,
      consent_collection: ignored,
      custom_text: ignored,
      customer: text,
      customer_email: email,
      customer_update: ignored,
      expires_at: integer(),
      line_items: required(list(hash({ price: required(text), quantity, adjustable_quantity: ignored }))),
      locale: text,
      metadata,
      mode: required(oneOf('payment', 'setup', 'subscription')),
      payment_method_collection: oneOf('always', 'if_required'),
      payment_method_types: list(oneOf('card')),
      phone_number_collection: ignored,
      saved_payment_method_options: ignored,
      subscription_data: hash({
        billing_mode: ignored,
        description: text,
        metadata,
        trial_end: integer(),
        trial_period_days: integer({ min: 1, max: 730 }),
        trial_settings: trialSettingsParam,
      }),
      success_url: required(url),
      tax_id_collection: ignored,
      ui_mode: oneOf('hosted_page'),
    },
    run(ctx, params) {
      if (params.mode !== 'subscription')
        throw invalidRequest(`The stand-in supports Checkout Sessions in subscription mode only.`, { param: 'mode' })
      if (params.customer !== undefined && params.customer_email !== undefined)
        throw invalidRequest('You may only specify one of these parameters: customer, customer_email.')
      const customer = params.customer === undefined ? null : getCustomer(ctx, params.customer)
      const prices = params.line_items.map(({ price }, index) =>
        getSubscribablePrice(ctx, price, `line_items[${index}][price]`),
      )
      checkCompatiblePrices(prices)
      const data = params.subscription_data
      if (data?.trial_end !== undefined && data.trial_end < ctx.now + minTrialSeconds)
        throw invalidRequest('The `trial_end` date has to be at least 2 days in the future.', {
          param: 'subscription_data[trial_end]',
        })
      const session = ctx.db.put('checkout_sessions', {
        id: newId('cs_test_a1', 58),
        created: ctx.now,
        mode: 'subscription',
        status: 'open',
        payment_status: 'unpaid',
        customer: customer?.id ?? null,
        customer_email: params.customer_email ?? null,
        client_reference_id: params.client_reference_id ?? null,
        line_items: params.line_items.map(({ price, quantity }) => ({
          id: newId('li_1'),
          price,
          quantity: quantity ?? 1,
        })),
        currency: prices[0]!.currency,
        success_url: params.success_url,
        cancel_url: params.cancel_url ?? null,
        expires_at: resolveExpiry(ctx, params.expires_at),
        metadata: applyMetadataChange({}, params.metadata),
        subscription_metadata: applyMetadataChange({}, data?.metadata),
        subscription_description: data?.description ?? null,
        trial_end: data?.trial_end ?? null,
        trial_period_days: data?.trial_period_days ?? null,
        missing_payment_method: data?.trial_settings?.end_behavior.missing_payment_method ?? 'create_invoice',
        payment_method_collection: params.payment_method_collection ?? 'always',
        allow_promotion_codes: params.allow_promotion_codes ?? null,
        billing_address_collection: params.billing_address_collection ?? null,
        locale: params.locale ?? null,
        subscription: null,
        invoice: null,
      })
      return presentCheckoutSession(ctx, session)
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/checkout/sessions',
    params: {
      ...listParams,
      created: timeFilter,
      customer: text,
      status: oneOf('complete', 'expired', 'open'),
      subscription: text,
    },
    run(ctx, { created, customer, status, subscription, ...page }) {
      return paginate({
        url: '/v1/checkout/sessions',
        objectName: 'checkout.session',
        records: ctx.db.all('checkout_sessions'),
        matches: (session) =>
          matchesFilter<string | null>(customer, session.customer) &&
          matchesFilter<string | null>(subscription, session.subscription) &&
          matchesFilter(status, session.status) &&
          matchesTimeFilter(session.created, created),
        page,
        present: (session) => presentCheckoutSession(ctx, session),
      })
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/checkout/sessions/:id',
    params: {},
    run: (ctx, _params, { id }) => presentCheckoutSession(ctx, getCheckoutSession(ctx, id)),
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/checkout/sessions/:id/line_items',
    params: { limit: listParams.limit },
    run: (ctx, _params, { id }) => presentCheckoutLineItems(ctx, getCheckoutSession(ctx, id)),
  }),
  defineEndpoint({
    method: 'POST',
    path: '/v1/checkout/sessions/:id/expire',
    params: {},
    run(ctx, _params, { id }) {
      const session = getCheckoutSession(ctx, id)
      if (session.status !== 'open')
        throw invalidRequest(
          `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${session.status}.`,
        )
      return presentCheckoutSession(ctx, expireCheckoutSession(ctx, session))
    },
  }),
]
