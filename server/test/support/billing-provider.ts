import type {
  BillingProvider,
  OfferPrice,
  ProviderLink,
  ProviderSubscription,
} from '../../src/customers/billing/provider.ts'

type Call = keyof BillingProvider

/** A payment provider in memory, whose state tests read and set. */
export interface TestProvider extends BillingProvider {
  /** Subscriptions by customer, the newest first. */
  subscriptions: Map<string, ProviderSubscription[]>
  /** The calls it received, with their arguments. */
  calls: { call: Call; input: unknown }[]
  /** Every link it created. */
  urls: string[]
  /** Runs before each reply; may wait or throw. */
  before: (call: Call) => Promise<void> | void
  /** Prices that are not sold. */
  unsold: Set<string>
  prices: OfferPrice[]
}

export function createTestProvider(): TestProvider {
  const answer = async <T>(call: Call, input: unknown, result: () => T): Promise<T> => {
    provider.calls.push({ call, input })
    await provider.before(call)
    return result()
  }
  const link = (kind: string) => (): ProviderLink => {
    const url = `https://pay.example/${kind}/capability-${crypto.randomUUID()}`
    provider.urls.push(url)
    return { url, expiresAt: kind === 'checkout' ? new Date('2026-11-11T12:00:00.000Z') : null }
  }
  const provider: TestProvider = {
    subscriptions: new Map(),
    calls: [],
    urls: [],
    before: () => {},
    unsold: new Set(),
    prices: [],
    createCustomer: (account) => answer('createCustomer', account, () => `cus_${account.publicId}`),
    listSubscriptions: (customerId) =>
      answer('listSubscriptions', customerId, () => provider.subscriptions.get(customerId) ?? []),
    createCheckout: (input) => answer('createCheckout', input, link('checkout')),
    closeCheckouts: (customerId) => answer('closeCheckouts', customerId, () => {}),
    createUpdateConfirmation: (input) => answer('createUpdateConfirmation', input, link('confirm')),
    createPortal: (input) => answer('createPortal', input, link('portal')),
    createPaymentMethodUpdate: (input) => answer('createPaymentMethodUpdate', input, link('payment-method')),
    startTrial: (input) => answer('startTrial', input, () => {}),
    endTrial: (subscriptionId) => answer('endTrial', subscriptionId, () => {}),
    listPrices: () => answer('listPrices', undefined, () => provider.prices),
    isForSale: (plan, billing) => !provider.unsold.has(`${plan}_${billing}`),
    parseSignedEvent: (input) => answer('parseSignedEvent', input, () => null),
  }
  return provider
}

/** An active monthly pro subscription, with changes. */
export function subscribed(
  traits: Partial<ProviderSubscription> & Pick<ProviderSubscription, 'customerId'>,
): ProviderSubscription {
  return {
    id: 'sub_1',
    status: 'active',
    offer: { plan: 'pro', billing: 'monthly' },
    price: { amount: 4_900, currency: 'usd', interval: 'month', intervalCount: 1 },
    billingCycleAnchor: new Date('2026-11-01T09:00:00.000Z'),
    currentPeriodEnd: new Date('2026-12-01T09:00:00.000Z'),
    trialStart: null,
    trialEnd: null,
    cancelAtPeriodEnd: false,
    hasPaymentMethod: true,
    createdAt: new Date('2026-11-01T09:00:00.000Z'),
    ...traits,
  }
}
