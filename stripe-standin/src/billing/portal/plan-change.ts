import { invalidRequest } from '../../http/errors.ts'
import type { Desk } from '../../state/database.ts'
import type { Price } from '../../state/records.ts'
import type { PortalConfiguration } from '../../state/session-records.ts'
import type { Subscription, SubscriptionItem } from '../../state/subscription-records.ts'
import { periodLine } from '../invoices/lines.ts'
import { type Change, dueForLines, planChange } from '../subscriptions/change-items.ts'
import { nextTurn } from '../subscriptions/periods.ts'
import { scheduleChange } from '../subscriptions/record.ts'
import { updateSubscription } from '../subscriptions/update.ts'

/** What choosing a plan in the portal would do. */
export interface ChangePreview {
  readonly when: 'now' | 'period_end'
  /** When it takes effect, in seconds. */
  readonly at: number
  /** What the customer pays on confirming, in cents. */
  readonly amountDue: number
  readonly lines: readonly { readonly description: string; readonly amount: number }[]
}

type UpdateFeature = PortalConfiguration['features']['subscription_update']

/** Tells what the portal would do with this choice, or throws why it cannot be chosen. */
export function previewChange(
  desk: Desk,
  configuration: PortalConfiguration,
  subscription: Subscription,
  priceId: string,
  quantity: number,
): ChangePreview {
  const feature = configuration.features.subscription_update
  checkChoice(desk, feature, subscription, priceId, quantity)
  const item = subscription.items[0]!
  if (waitsForPeriodEnd(desk, feature, subscription, priceId, quantity))
    return { when: 'period_end', at: item.current_period_end, amountDue: 0, lines: [] }
  const items = [{ ...item, price: priceId, quantity }, ...subscription.items.slice(1)]
  const lines = endsTrial(feature, subscription)
    ? itemsFromNow(desk, items).map((fresh) => periodLine(desk, subscription.id, fresh, { free: false }))
    : billedLines(desk, subscription, items, feature)
  return {
    when: 'now',
    at: desk.now,
    amountDue: lines.length > 0 ? dueForLines(desk, subscription, lines) : 0,
    lines: lines.map(({ description, amount }) => ({ description: description ?? '', amount })),
  }
}

/** Does what the portal does with a choice. A card that is declined leaves everything as it was. */
export function changeToPrice(
  desk: Desk,
  configuration: PortalConfiguration,
  subscription: Subscription,
  priceId: string,
  quantity: number,
): Subscription {
  const feature = configuration.features.subscription_update
  checkChoice(desk, feature, subscription, priceId, quantity)
  if (waitsForPeriodEnd(desk, feature, subscription, priceId, quantity))
    return scheduleChange(desk, subscription, priceId, quantity)
  const [first, ...others] = subscription.items
  return updateSubscription(desk, subscription, {
    items: [{ ...first!, price: priceId, quantity }, ...others],
    trialEnd: endsTrial(feature, subscription) ? 'now' : undefined,
    proration: feature.proration_behavior,
    behavior: 'error_if_incomplete',
    anchor: 'unchanged',
    facts: {},
  })
}

function checkChoice(
  desk: Desk,
  feature: UpdateFeature,
  subscription: Subscription,
  priceId: string,
  quantity: number,
): void {
  const price = desk.book.get('prices', priceId)
  if (!feature.enabled)
    throw invalidRequest(
      'This subscription cannot be updated because the subscription update feature in the portal configuration is disabled.',
    )
  const offered = feature.products.some(({ prices }) => prices.includes(priceId))
  if (!price?.active || !price.recurring || !offered)
    throw invalidRequest(`The price ${priceId} cannot be chosen in this portal configuration.`)
  if (subscription.status === 'incomplete' || subscription.status === 'paused' || subscription.items.length > 1)
    throw invalidRequest('This subscription cannot be updated in the portal in its present state.')
  const item = subscription.items[0]!
  if (item.price === priceId && item.quantity === quantity)
    throw invalidRequest('The subscription has this price and quantity already: there is nothing to update.')
}

function waitsForPeriodEnd(
  desk: Desk,
  feature: UpdateFeature,
  subscription: Subscription,
  priceId: string,
  quantity: number,
): boolean {
  if (subscription.status === 'trialing') return false
  const item = subscription.items[0]!
  const from = desk.book.must('prices', item.price)
  const to = desk.book.must('prices', priceId)
  const shortens = periodSeconds(to) < periodSeconds(from)
  const cheapens = sameRhythm(from, to) && to.unit_amount * quantity < from.unit_amount * item.quantity
  const waits = feature.schedule_at_period_end
  return (shortens && waits.includes('shortening_interval')) || (cheapens && waits.includes('decreasing_item_amount'))
}

function endsTrial(feature: UpdateFeature, { status }: Subscription): boolean {
  return status === 'trialing' && feature.trial_update_behavior === 'end_trial'
}

function billedLines(
  desk: Desk,
  subscription: Subscription,
  items: readonly SubscriptionItem[],
  feature: UpdateFeature,
): ReturnType<typeof planChange>['lines'] {
  const change: Change = { items, proration: feature.proration_behavior, anchor: 'unchanged', from: desk.now }
  const outcome = planChange(desk, subscription, change)
  return outcome.billedNow ? outcome.lines : []
}

function itemsFromNow(desk: Desk, items: readonly SubscriptionItem[]): SubscriptionItem[] {
  return items.map((item) => ({
    ...item,
    current_period_start: desk.now,
    current_period_end: nextTurn(desk.now, desk.book.must('prices', item.price).recurring!, desk.now),
  }))
}

function sameRhythm(one: Price, other: Price): boolean {
  return periodSeconds(one) === periodSeconds(other)
}

/** Length of a price's period, near enough to compare. */
function periodSeconds({ recurring }: Price): number {
  const days = { day: 1, week: 7, month: 30, year: 365 }
  return recurring ? days[recurring.interval] * recurring.interval_count * 86_400 : 0
}
