import { defineEndpoint } from '../api/endpoint.ts'
import { listParams, matchesFilter, paginate } from '../api/lists.ts'
import {
  applyMetadataChange,
  boolean,
  hash,
  ignored,
  list,
  metadata,
  oneOf,
  type ParamValues,
  required,
  text,
  unsettable,
  url,
} from '../api/params.ts'
import { presentPortalConfiguration } from '../presenters/sessions.ts'
import { newId, type RequestContext } from '../state/database.ts'
import { emitEvent, emitUpdatedEvent } from '../state/emit.ts'
import { invalidRequest, resourceMissing } from '../state/errors.ts'
import type { PortalConfiguration } from '../state/session-records.ts'

type Features = PortalConfiguration['features']

const proration = oneOf('always_invoice', 'create_prorations', 'none')

const features = hash({
  customer_update: hash({ allowed_updates: unsettable(list(text)), enabled: required(boolean) }),
  invoice_history: hash({ enabled: required(boolean) }),
  payment_method_update: hash({ enabled: required(boolean), payment_method_configuration: ignored }),
  subscription_cancel: hash({
    cancellation_reason: hash({ enabled: required(boolean), options: required(unsettable(list(text))) }),
    enabled: boolean,
    mode: oneOf('at_period_end', 'immediately'),
    proration_behavior: proration,
  }),
  subscription_update: hash({
    billing_cycle_anchor: oneOf('unchanged'),
    default_allowed_updates: unsettable(list(oneOf('price', 'promotion_code', 'quantity'))),
    enabled: boolean,
    products: unsettable(
      list(hash({ adjustable_quantity: ignored, prices: required(list(text)), product: required(text) })),
    ),
    proration_behavior: proration,
    schedule_at_period_end: hash({
      conditions: unsettable(list(hash({ type: required(oneOf('decreasing_item_amount', 'shortening_interval')) }))),
    }),
    trial_update_behavior: oneOf('continue_trial', 'end_trial'),
  }),
})

const fields = {
  business_profile: hash({
    headline: unsettable(text),
    privacy_policy_url: unsettable(url),
    terms_of_service_url: unsettable(url),
  }),
  default_return_url: unsettable(url),
  login_page: ignored,
  metadata,
  name: unsettable(text),
}

/** Stripe disables features that a configuration does not mention. */
const disabledFeatures: Features = {
  customer_update: { enabled: false, allowed_updates: [] },
  invoice_history: { enabled: false },
  payment_method_update: { enabled: false },
  subscription_cancel: {
    enabled: false,
    mode: 'at_period_end',
    proration_behavior: 'none',
    cancellation_reason: { enabled: false, options: [] },
  },
  subscription_update: {
    enabled: false,
    default_allowed_updates: [],
    proration_behavior: 'none',
    products: [],
    schedule_at_period_end: [],
    trial_update_behavior: 'end_trial',
  },
}

type FeatureParams = NonNullable<ParamValues<{ features: typeof features }>['features']>

function applyFeatureParams(ctx: RequestContext, before: Features, params: FeatureParams = {}): Features {
  const cancel = params.subscription_cancel
  const update = params.subscription_update
  const after: Features = {
    customer_update: params.customer_update
      ? {
          enabled: params.customer_update.enabled,
          allowed_updates: params.customer_update.allowed_updates ?? before.customer_update.allowed_updates,
        }
      : before.customer_update,
    invoice_history: params.invoice_history ?? before.invoice_history,
    payment_method_update: params.payment_method_update
      ? { enabled: params.payment_method_update.enabled }
      : before.payment_method_update,
    subscription_cancel: {
      enabled: cancel?.enabled ?? before.subscription_cancel.enabled,
      mode: cancel?.mode ?? before.subscription_cancel.mode,
      proration_behavior: cancel?.proration_behavior ?? before.subscription_cancel.proration_behavior,
      cancellation_reason: cancel?.cancellation_reason
        ? {
            enabled: cancel.cancellation_reason.enabled,
            options: cancel.cancellation_reason.options ?? [],
          }
        : before.subscription_cancel.cancellation_reason,
    },
    subscription_update: applyUpdateFeatureParams(before.subscription_update, update),
  }
  checkProducts(ctx, after.subscription_update)
  return after
}

function applyUpdateFeatureParams(
  before: Features['subscription_update'],
  params: FeatureParams['subscription_update'],
): Features['subscription_update'] {
  const { default_allowed_updates: allowed, products, schedule_at_period_end: waiting } = params ?? {}
  return {
    enabled: params?.enabled ?? before.enabled,
    default_allowed_updates: allowed === undefined ? before.default_allowed_updates : (allowed ?? []),
    proration_behavior: params?.proration_behavior ?? before.proration_behavior,
    products:
      products === undefined ? before.products : (products ?? []).map(({ product, prices }) => ({ product, prices })),
    schedule_at_period_end:
      waiting === undefined ? before.schedule_at_period_end : (waiting.conditions ?? []).map(({ type }) => type),
    trial_update_behavior: params?.trial_update_behavior ?? before.trial_update_behavior,
  }
}

/** Products and prices must exist, and an enabled plan change needs at least one product. */
function checkProducts(ctx: RequestContext, update: Features['subscription_update']): void {
  update.products.forEach(({ product, prices }, index) => {
    const param = `features[subscription_update][products][${index}]`
    if (!ctx.db.get('products', product)) throw resourceMissing('product', product, `${param}[product]`)
    for (const price of prices)
      if (ctx.db.get('prices', price)?.product !== product) throw resourceMissing('price', price, `${param}[prices]`)
  })
  if (update.enabled && (update.products.length === 0 || update.default_allowed_updates.length === 0))
    throw invalidRequest(
      'You must provide `products` and `default_allowed_updates` when `subscription_update` is enabled.',
      { param: 'features[subscription_update]' },
    )
}

function getPortalConfiguration(ctx: RequestContext, id: string): PortalConfiguration {
  const configuration = ctx.db.get('portal_configurations', id)
  if (!configuration) throw resourceMissing('billing_portal.configuration', id)
  return configuration
}

const collection = '/v1/billing_portal/configurations'

export const portalConfigurationEndpoints = [
  defineEndpoint({
    method: 'POST',
    path: collection,
    params: { ...fields, features: required(features) },
    run(ctx, params) {
      const profile = params.business_profile
      const configuration = ctx.db.put('portal_configurations', {
        id: newId('bpc_1'),
        created: ctx.now,
        updated: ctx.now,
        active: true,
        is_default: false,
        name: params.name ?? null,
        metadata: applyMetadataChange({}, params.metadata),
        default_return_url: params.default_return_url ?? null,
        business_profile: {
          headline: profile?.headline ?? null,
          privacy_policy_url: profile?.privacy_policy_url ?? null,
          terms_of_service_url: profile?.terms_of_service_url ?? null,
        },
        features: applyFeatureParams(ctx, disabledFeatures, params.features),
      })
      emitEvent(ctx, 'billing_portal.configuration.created', presentPortalConfiguration(configuration))
      return presentPortalConfiguration(configuration)
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: collection,
    params: { ...listParams, active: boolean, is_default: boolean },
    run(ctx, { active, is_default: standard, ...page }) {
      return paginate({
        url: collection,
        objectName: 'billing_portal.configuration',
        records: ctx.db.all('portal_configurations'),
        matches: (configuration) =>
          matchesFilter(active, configuration.active) && matchesFilter(standard, configuration.is_default),
        page,
        present: presentPortalConfiguration,
      })
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/billing_portal/configurations/:id',
    params: {},
    run: (ctx, _params, { id }) => presentPortalConfiguration(getPortalConfiguration(ctx, id)),
  }),
  defineEndpoint({
    method: 'POST',
    path: '/v1/billing_portal/configurations/:id',
    params: { ...fields, active: boolean, features },
    run(ctx, params, { id }) {
      const before = getPortalConfiguration(ctx, id)
      if (params.active === false && before.is_default)
        throw invalidRequest('You cannot deactivate the default configuration.', { param: 'active' })
      const { business_profile: profile, default_return_url: returnUrl, name } = params
      const changed = ctx.db.update('portal_configurations', before, {
        updated: ctx.now,
        active: params.active ?? before.active,
        name: name === undefined ? before.name : name,
        metadata: applyMetadataChange(before.metadata, params.metadata),
        default_return_url: returnUrl === undefined ? before.default_return_url : returnUrl,
        business_profile: { ...before.business_profile, ...profile },
        features: applyFeatureParams(ctx, before.features, params.features),
      })
      const presented = presentPortalConfiguration(changed)
      emitUpdatedEvent(ctx, 'billing_portal.configuration.updated', presentPortalConfiguration(before), presented)
      return presented
    },
  }),
]
