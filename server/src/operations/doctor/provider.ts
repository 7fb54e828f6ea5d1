import { join } from 'node:path'
import { isStandinAlive, readStandinAddress } from '../../customers/billing/local/standin-process.ts'
import { billingIntervals, paidPlans } from '../../customers/billing/provider.ts'
import { type Config, usesBillingStandin } from '../config.ts'
import { type Check, failed, passed, runCheck, warned } from './checks.ts'

type ProviderConfig = Pick<Config, 'stripe' | 'billingStandin' | 'host' | 'publicUrl' | 'dataDir'>

/** The payment provider: which one, whether it answers, and whether its setup fits the settings. */
export async function checkProvider(config: ProviderConfig): Promise<Check[]> {
  if (config.stripe.secretKey === null) return [checkStandin(config)]
  const key = checkKeyMode(config)
  // Three calls of up to five seconds, some of them one after the other.
  const found = { checks: [] as Check[] }
  const reached = await runCheck('payment_provider_answers', () => askStripe(config, found), 25_000)
  return [key, reached, checkWebhookSecret(config), ...found.checks]
}

function checkStandin(config: ProviderConfig): Check {
  const name = 'payment_provider'
  if (!usesBillingStandin(config)) {
    const reason = config.billingStandin === false ? 'BILLING_STANDIN is 0' : 'others can reach the service'
    return warned(
      name,
      `Billing is closed: no Stripe key is set, and ${reason}.`,
      'Set STRIPE_SECRET_KEY to sell; plans can be granted with "storedex accounts set".',
    )
  }
  const address = readStandinAddress(join(config.dataDir, 'stripe-standin'))
  const running = address && isStandinAlive(address) ? `, running at ${address.url}` : ', which starts with the service'
  return passed(
    name,
    `The local stand-in for Stripe${running}. No money moves.`,
    'Set STRIPE_SECRET_KEY before you sell.',
  )
}

function checkKeyMode({ stripe: { secretKey }, publicUrl }: ProviderConfig): Check {
  const name = 'payment_provider'
  if (/_test_/.test(secretKey!))
    return passed(name, 'Stripe with a test key: no money moves.', 'Use a live key to sell.')
  return publicUrl?.startsWith('https:')
    ? passed(name, 'Stripe with a live key.')
    : failed(
        name,
        'Stripe with a live key, and PUBLIC_URL is no https address.',
        'Set PUBLIC_URL to the address of this service.',
      )
}

function checkWebhookSecret({ stripe: { webhookSecrets } }: ProviderConfig): Check {
  const name = 'webhook_secret'
  if (webhookSecrets.length === 1) return passed(name, 'STRIPE_WEBHOOK_SECRET is set.')
  return webhookSecrets.length === 2
    ? passed(name, 'STRIPE_WEBHOOK_SECRET names two secrets.', 'Remove the old one once it has expired.')
    : failed(
        name,
        'STRIPE_WEBHOOK_SECRET is not set: events are refused, and plans change only hourly.',
        '"storedex billing setup" prints it when it makes the endpoint; later it is in the Stripe dashboard.',
      )
}

/** Adds what Stripe knows to `found`. The library is loaded only here. */
async function askStripe({ stripe, publicUrl }: ProviderConfig, found: { checks: Check[] }): Promise<Check> {
  const name = 'payment_provider_answers'
  const [{ connectStripe }, { describeStripeFailure, inspectStripe }] = await Promise.all([
    import('../../customers/billing/stripe/connection.ts'),
    import('../../customers/billing/stripe/inspect.ts'),
  ])
  const webhookUrl = publicUrl === null ? null : `${publicUrl}/webhooks/stripe`
  try {
    const access = { ...stripe, secretKey: stripe.secretKey! }
    const inspection = await inspectStripe(connectStripe(access), { prices: stripe.prices, webhookUrl })
    found.checks = [
      describeWebhook(webhookUrl, inspection.webhook),
      describePrices(stripe.prices, inspection.unusablePrices),
    ]
    return passed(name, `${stripe.apiBase ?? 'Stripe'} answers and accepts the key.`)
  } catch (error) {
    const reason = describeStripeFailure(error)
    const advice = reason.includes('key')
      ? 'Correct STRIPE_SECRET_KEY.'
      : 'Check the network, and STRIPE_API_BASE if it is set.'
    return failed(name, `${stripe.apiBase ?? 'Stripe'} cannot be used: ${reason}.`, advice)
  }
}

function describeWebhook(url: string | null, problem: 'missing' | 'disabled' | 'lacks_events' | null): Check {
  const name = 'webhook_endpoint'
  if (url === null) return failed(name, 'PUBLIC_URL is not set, so Stripe cannot send events.', 'Set PUBLIC_URL.')
  const problems = {
    missing: 'has no endpoint at Stripe',
    disabled: 'is disabled at Stripe',
    lacks_events: 'does not get all events that are needed',
  }
  return problem === null
    ? passed(name, `Stripe sends events to ${url}.`)
    : failed(name, `${url} ${problems[problem]}.`, 'Run "storedex billing setup".')
}

function describePrices(prices: Readonly<Record<string, string>>, unusable: readonly string[]): Check {
  const name = 'prices'
  const settingOf = (offer: string) => `STRIPE_PRICE_${offer.toUpperCase()}`
  if (unusable.length > 0)
    return failed(
      name,
      `Stripe does not sell ${unusable.map(settingOf).join(', ')}: unknown, or archived.`,
      'Run "storedex billing setup" and set the prices that it prints.',
    )
  const missing = paidPlans
    .flatMap((plan) => billingIntervals.map((billing) => `${plan}_${billing}`))
    .filter((offer) => !(offer in prices))
  return missing.length === 0
    ? passed(name, 'All plans have a price.')
    : warned(name, `Not for sale by link: ${missing.join(', ')}.`, '"storedex billing setup" prints the prices to set.')
}
