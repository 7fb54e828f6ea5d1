import { startTimeBudget } from './links/counted-links.ts'
import type { BillingProvider, Offer, OfferPrice, Price } from './provider.ts'

// Pages are useful without prices; the provider has to be quick, or they are left out.
const budgetMs = 2_000

/** The prices of all offers, from the provider; none if it does not answer in time. */
export function readPrices(provider: BillingProvider): Promise<OfferPrice[]> {
  return startTimeBudget(budgetMs)(provider.listPrices()).catch(() => [])
}

export function priceOf(prices: readonly OfferPrice[], offer: Offer): Price | null {
  return prices.find(({ plan, billing }) => plan === offer.plan && billing === offer.billing)?.price ?? null
}
