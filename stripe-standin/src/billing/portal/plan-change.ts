import type { RequestContext } from '../../state/database.ts'
import { invalidRequest } from '../../state/errors.ts'
import type { Price } from '../../state/records.ts'
import type { PortalConfiguration } from '../../state/session-records.ts'
import type { Subscription, SubscriptionItem } from '../../state/subscription-records.ts'
import { periodLine } from '../invoices/lines.ts'
import { amountDueForLines, calculateItemChange, type ItemChange } from '../subscriptions/change-items.ts'
import { nextPeriodEnd } from '../subscriptions/periods.ts'
import { schedulePlanChange } from '../subscriptions/record.ts'
import { updateSubscription } from '../subscriptions/update.ts'

/** The effect of choosing a plan in the portal. */
export interface PlanChangePreview {
  readonly when: 'now' | 'period_end'
  /** When it takes effect, in seconds. */
  readonly at: number
  /** The charge on confirmation, in cents. */
  readonly amountDue: number
  readonly lines: readonly { readonly description: string; readonly amount: number }[]
}

type UpdateFeature = PortalConfiguration['features']['subscription_update']

/** Previews a plan choice, or throws if it is not allowed. */
export function previewPlanChange(
  ctx: RequestContext,
  configuration: PortalConfiguration,
  subscription: Subscription,
  priceId: string,
  quantity: number,
): PlanChangePreview {
  const feature = configuration.features.subscription_update
  checkPlanChoice(ctx, feature, subscription, priceId, quantity)
  const item = subscription.items[0]!
  if (isDeferredToPeriodEnd(ctx, feature, subscription, priceId, quantity))
    return { when: 'period_end', at: item.current_period_end, amountDue: 0, lines: [] }
  const items = [{ ...item, price: priceId, quantity }, ...subscription.items.slice(1)]
  const lines = endsTrial(feature, subscription)
    ? itemsWithNewPeriod(ctx, items).map((item) => periodLine(ctx, subscription.id, item, { free: false }))
    : billedLines(ctx, subscription, items, feature)
  return {
    when: 'now',
    at: ctx.now,
    amountDue: lines.length > 0 ? amountDueForLines(ctx, subscription, lines) : 0,
    lines: lines.map(({ description, amount }) => ({ description: description ?? '', amount })),
  }
}

/** Applies a plan choice. A declined card changes nothing. */
export function applyPlanChange(
  ctx: RequestContext,
  configuration: PortalConfiguration,
  subscription: Subscription,
  priceId: string,
  quantity: number,
): Subscription {
  const feature = configuration.features.subscription_update
  checkPlanChoice(ctx, feature, subscription, priceId, quantity)
  if (isDeferredToPeriodEnd(ctx, feature, subscription, priceId, quantity))
    return schedulePlanChange(ctx, subscription, priceId, quantity)
  const [first, ...others] = subscription.items
  return updateSubscription(ctx, subscription, {
    items: [{ ...first!, price: priceId, quantity }, ...others],
    trialEnd: endsTrial(feature, subscription) ? 'now' : undefined,
    proration: feature.proration_behavior,
    behavior: 'error_if_incomplete',
    anchor: 'unchanged',
    fields: {},
  })
}

function checkPlanChoice(
  ctx: RequestContext,
  feature: UpdateFeature,
  subscription: Subscription,
  priceId: string,
  quantity: number,
): void {
  const price = ctx.db.get('prices', priceId)
  if (!feature.enabled)
    throw invalidRequest(
      'This subscription cannot be updated because the subscription update feature in the portal configuration is disabled.',
    )
  const offered = feature.products.some(({ prices }) => prices.includes(priceId))
  if (!price?.active || !price.recurring || !offered)
    throw invalidRequest(`The price ${priceId} cannot be chosen in this portal configuration.`)
  if (subscription.status === 'incomplete' || subscription.status === 'paused' || subscription.items.length > 1)
    throw invalidRequest('This subscription cannot be updated in the portal in its current status.')
  const item = subscription.items[0]!
  if (item.price === priceId && item.quantity === quantity)
    throw invalidRequest('The subscription already has this price and quantity.')
}

function isDeferredToPeriodEnd(
  ctx: RequestContext,
  feature: UpdateFeature,
  subscription: Subscription,
  priceId: string,
  quantity: number,
): boolean {
  if (subscription.status === 'trialing') return false
  const item = subscription.items[0]!
  const from = ctx.db.getOrThrow('prices', item.price)
  const to = ctx.db.getOrThrow('prices', priceId)
  const shortens = periodSeconds(to) < periodSeconds(from)
  const cheapens = hasSameInterval(from, to) && to.unit_amount * quantity < from.unit_amount * item.quantity
  const deferred = feature.schedule_at_period_end
  return (
    (shortens && deferred.includes('shortening_interval')) || (cheapens && deferred.includes('decreasing_item_amount'))
  )
}

function endsTrial(feature: UpdateFeature, { status }: Subscription): boolean {
  return status === 'trialing' && feature.trial_update_behavior === 'end_trial'
}

function billedLines(
  ctx: RequestContext,
  subscription: Subscription,
  items: readonly SubscriptionItem[],
  feature: UpdateFeature,
): ReturnType<typeof calculateItemChange>['lines'] {
  const change: ItemChange = { items, proration: feature.proration_behavior, anchor: 'unchanged', from: ctx.now }
  const outcome = calculateItemChange(ctx, subscription, change)
  return outcome.billedNow ? outcome.lines : []
}

function itemsWithNewPeriod(ctx: RequestContext, items: readonly SubscriptionItem[]): SubscriptionItem[] {
  return items.map((item) => ({
    ...item,
    current_period_start: ctx.now,
    current_period_end: nextPeriodEnd(ctx.now, ctx.db.getOrThrow('prices', item.price).recurring!, ctx.now),
  }))
}

function hasSameInterval(one: Price, other: Price): boolean {
  return periodSeconds(one) === periodSeconds(other)
}

/** Approximate length of a price's period, for comparison. */
function periodSeconds({ recurring }: Price): number {
  const days = { day: 1, week: 7, month: 30, year: 365 }
  return recurring ? days[recurring.interval] * recurring.interval_count * 86_400 : 0
}
