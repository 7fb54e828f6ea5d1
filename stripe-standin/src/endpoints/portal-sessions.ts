import { previewChange } from '../billing/portal/plan-change.ts'
import { hasEnded } from '../billing/subscriptions/record.ts'
import { emit } from '../events/emit.ts'
import { endpoint } from '../http/endpoint.ts'
import { invalidRequest, noSuch } from '../http/errors.ts'
import { hash, ignored, list, oneOf, quantity, required, text, url, type Values } from '../http/params.ts'
import { presentPortalSession } from '../presenters/sessions.ts'
import { type Desk, newId } from '../state/database.ts'
import type { AfterCompletion, PortalConfiguration, PortalFlow } from '../state/session-records.ts'
import type { Subscription } from '../state/subscription-records.ts'
import { customerNamed } from './lookup.ts'

const ofSubscription = { subscription: required(text) }

const flowData = hash({
  after_completion: hash({
    hosted_confirmation: hash({ custom_message: text }),
    redirect: hash({ return_url: required(url) }),
    type: required(oneOf('hosted_confirmation', 'portal_homepage', 'redirect')),
  }),
  subscription_cancel: hash({ ...ofSubscription, retention: ignored }),
  subscription_update: hash(ofSubscription),
  subscription_update_confirm: hash({
    ...ofSubscription,
    discounts: list(ignored, { max: 0 }),
    items: required(list(hash({ id: required(text), price: text, quantity }), { max: 1 })),
  }),
  type: required(
    oneOf('payment_method_update', 'subscription_cancel', 'subscription_update', 'subscription_update_confirm'),
  ),
})

type FlowData = Values<{ flow_data: typeof flowData }>['flow_data']

/** The configuration that is named, or the account's own. */
function configurationFor(desk: Desk, id: string | undefined): PortalConfiguration {
  const configuration =
    id === undefined
      ? desk.book.all('portal_configurations').find(({ is_default, active }) => is_default && active)
      : desk.book.get('portal_configurations', id)
  if (!configuration && id !== undefined) throw noSuch('configuration', id, 'configuration')
  if (!configuration?.active)
    throw invalidRequest('This portal configuration is not active.', { param: 'configuration' })
  return configuration
}

function flowFrom(desk: Desk, data: FlowData, customer: string, configuration: PortalConfiguration): PortalFlow | null {
  if (!data) return null
  const { features } = configuration
  if (data.type === 'payment_method_update') {
    if (!features.payment_method_update.enabled) throw featureIsOff('payment_method_update')
    return { type: data.type }
  }
  const details = data[data.type]
  if (!details) {
    const param = `flow_data[${data.type}]`
    throw invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param })
  }
  const subscription = subscriptionOf(desk, details.subscription, customer, data.type)
  if (data.type === 'subscription_cancel') {
    if (!features.subscription_cancel.enabled) throw featureIsOff('subscription_cancel')
    if (subscription.cancel_at_period_end)
      throw invalidRequest('The subscription is already set to be canceled at the end of its period.')
    return { type: data.type, subscription: subscription.id }
  }
  if (!features.subscription_update.enabled) throw featureIsOff('subscription_update')
  if (data.type === 'subscription_update') return { type: data.type, subscription: subscription.id }
  return confirmFlow(desk, subscription, configuration, data.subscription_update_confirm!.items)
}

function confirmFlow(
  desk: Desk,
  subscription: Subscription,
  configuration: PortalConfiguration,
  items: readonly { readonly id: string; readonly price?: string; readonly quantity?: number }[],
): PortalFlow {
  const param = 'flow_data[subscription_update_confirm][items]'
  const wanted = items[0]
  if (!wanted) throw invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param })
  const item = subscription.items.find(({ id }) => id === wanted.id)
  if (!item) throw noSuch('subscription item', wanted.id, `${param}[0][id]`)
  const price = wanted.price ?? item.price
  const quantity = wanted.quantity ?? item.quantity
  previewChange(desk, configuration, subscription, price, quantity) // throws when the page could not do it
  return { type: 'subscription_update_confirm', subscription: subscription.id, item: item.id, price, quantity }
}

function subscriptionOf(desk: Desk, id: string, customer: string, flow: string): Subscription {
  const subscription = desk.book.get('subscriptions', id)
  const param = `flow_data[${flow}][subscription]`
  if (subscription?.customer !== customer) throw noSuch('subscription', id, param)
  if (hasEnded(subscription)) throw invalidRequest('The subscription has ended and cannot be updated.', { param })
  return subscription
}

function featureIsOff(feature: string): Error {
  return invalidRequest(
    `This flow cannot be used because the ${feature} feature in the portal configuration is disabled.`,
    { param: 'flow_data[type]' },
  )
}

function afterCompletion(data: FlowData): AfterCompletion {
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
  endpoint({
    method: 'POST',
    path: '/v1/billing_portal/sessions',
    params: { configuration: text, customer: required(text), flow_data: flowData, locale: text, return_url: url },
    run(desk, params) {
      const customer = customerNamed(desk, params.customer)
      const configuration = configurationFor(desk, params.configuration)
      const session = desk.book.put('portal_sessions', {
        id: newId('bps_1'),
        created: desk.now,
        customer: customer.id,
        configuration: configuration.id,
        return_url: params.return_url ?? configuration.default_return_url,
        locale: params.locale ?? null,
        flow: flowFrom(desk, params.flow_data, customer.id, configuration),
        after_completion: afterCompletion(params.flow_data),
        completed_at: null,
      })
      emit(desk, 'billing_portal.session.created', presentPortalSession(desk, session))
      return presentPortalSession(desk, session)
    },
  }),
]
