import { defineEndpoint } from '../api/endpoint.ts'
import { hash, ignored, list, oneOf, type ParamValues, quantity, required, text, url } from '../api/params.ts'
import { previewPlanChange } from '../billing/portal/plan-change.ts'
import { hasEnded } from '../billing/subscriptions/record.ts'
import { presentPortalSession } from '../presenters/sessions.ts'
import { newId, type RequestContext } from '../state/database.ts'
import { emitEvent } from '../state/emit.ts'
import { invalidRequest, resourceMissing } from '../state/errors.ts'
import type { AfterCompletion, PortalConfiguration, PortalFlow } from '../state/session-records.ts'
import type { Subscription } from '../state/subscription-records.ts'
import { getCustomer } from './lookup.ts'

const subscriptionParam = { subscription: required(text) }

const flowData = hash({
  after_completion: hash({
    hosted_confirmation: hash({ custom_message: text }),
    redirect: hash({ return_url: required(url) }),
    type: required(oneOf('hosted_confirmation', 'portal_homepage', 'redirect')),
  }),
  subscription_cancel: hash({ ...subscriptionParam, retention: ignored }),
  subscription_update: hash(subscriptionParam),
  subscription_update_confirm: hash({
    ...subscriptionParam,
    discounts: list(ignored, { max: 0 }),
    items: required(list(hash({ id: required(text), price: text, quantity }), { max: 1 })),
  }),
  type: required(
    oneOf('payment_method_update', 'subscription_cancel', 'subscription_update', 'subscription_update_confirm'),
  ),
})

type FlowData = ParamValues<{ flow_data: typeof flowData }>['flow_data']

/** The configuration with this id, or the account's default. */
function resolveConfiguration(ctx: RequestContext, id: string | undefined): PortalConfiguration {
  const configuration =
    id === undefined
      ? ctx.db.all('portal_configurations').find(({ is_default, active }) => is_default && active)
      : ctx.db.get('portal_configurations', id)
  if (!configuration && id !== undefined) throw resourceMissing('configuration', id, 'configuration')
  if (!configuration?.active)
    throw invalidRequest('This portal configuration is not active.', { param: 'configuration' })
  return configuration
}

function buildFlow(
  ctx: RequestContext,
  data: FlowData,
  customer: string,
  configuration: PortalConfiguration,
): PortalFlow | null {
  if (!data) return null
  const { features } = configuration
  if (data.type === 'payment_method_update') {
    if (!features.payment_method_update.enabled) throw featureDisabled('payment_method_update')
    return { type: data.type }
  }
  const details = data[data.type]
  if (!details) {
    const param = `flow_data[${data.type}]`
    throw invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param })
  }
  const subscription = getFlowSubscription(ctx, details.subscription, customer, data.type)
  if (data.type === 'subscription_cancel') {
    if (!features.subscription_cancel.enabled) throw featureDisabled('subscription_cancel')
    if (subscription.cancel_at_period_end)
      throw invalidRequest('The subscription is already set to be canceled at the end of its period.')
    return { type: data.type, subscription: subscription.id }
  }
  if (!features.subscription_update.enabled) throw featureDisabled('subscription_update')
  if (data.type === 'subscription_update') return { type: data.type, subscription: subscription.id }
  return buildConfirmFlow(ctx, subscription, configuration, data.subscription_update_confirm!.items)
}

function buildConfirmFlow(
  ctx: RequestContext,
  subscription: Subscription,
  configuration: PortalConfiguration,
  items: readonly { readonly id: string; readonly price?: string; readonly quantity?: number }[],
): PortalFlow {
  const param = 'flow_data[subscription_update_confirm][items]'
  const wanted = items[0]
  if (!wanted) throw invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param })
  const item = subscription.items.find(({ id }) => id === wanted.id)
  if (!item) throw resourceMissing('subscription item', wanted.id, `${param}[0][id]`)
  const price = wanted.price ?? item.price
  const quantity = wanted.quantity ?? item.quantity
  previewPlanChange(ctx, configuration, subscription, price, quantity) // throws if the page could not do it
  return { type: 'subscription_update_confirm', subscription: subscription.id, item: item.id, price, quantity }
}

function getFlowSubscription(ctx: RequestContext, id: string, customer: string, flow: string): Subscription {
  const subscription = ctx.db.get('subscriptions', id)
  const param = `flow_data[${flow}][subscription]`
  if (subscription?.customer !== customer) throw resourceMissing('subscription', id, param)
  if (hasEnded(subscription)) throw invalidRequest('The subscription has ended and cannot be updated.', { param })
  return subscription
}

function featureDisabled(feature: string): Error {
  return invalidRequest(
    `This flow cannot be used because the ${feature} feature in the portal configuration is disabled.`,
    { param: 'flow_data[type]' },
  )
}

function buildAfterCompletion(data: FlowData): AfterCompletion {
  const after = data?.after_completion
  if (after?.type === 'redirect') {
    if (after.redirect) return { type: 'redirect', return_url: after.redirect.return_url }
    const param = 'flow_data[after_completion][redirect]'
    throw invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param })
  }
  if (after?.type === 'hosted_confirmation')
    return { type: 'hosted_confirmation', custom_message: after.hosted_confirmation?.custom_message ?? null }
  return { type: 'portal_homepage' }
}

export const portalSessionEndpoints = [
  defineEndpoint({
    method: 'POST',
    path: '/v1/billing_portal/sessions',
    params: { configuration: text, customer: required(text), flow_data: flowData, locale: text, return_url: url },
    run(ctx, params) {
      const customer = getCustomer(ctx, params.customer)
      const configuration = resolveConfiguration(ctx, params.configuration)
      const session = ctx.db.put('portal_sessions', {
        id: newId('bps_1'),
        created: ctx.now,
        customer: customer.id,
        configuration: configuration.id,
        return_url: params.return_url ?? configuration.default_return_url,
        locale: params.locale ?? null,
        flow: buildFlow(ctx, params.flow_data, customer.id, configuration),
        after_completion: buildAfterCompletion(params.flow_data),
        completed_at: null,
      })
      emitEvent(ctx, 'billing_portal.session.created', presentPortalSession(ctx, session))
      return presentPortalSession(ctx, session)
    },
  }),
]
