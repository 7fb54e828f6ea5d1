import { type Command, InvalidArgumentError } from 'commander'
import type { OperatorLink } from '../../customers/billing/operator-link.ts'
import { billingIntervals, type Offer, paidPlans } from '../../customers/billing/provider.ts'
import { connectStripe } from '../../customers/billing/stripe/connection.ts'
import {
  type OfferName,
  offerNames,
  type StripeSetupResult,
  setUpStripe,
} from '../../customers/billing/stripe/setup.ts'
import { reconcileAccounts } from '../../customers/billing/sync/reconcile.ts'
import { OperatorError } from '../../foundation/kernel/errors.ts'
import { formatNumber } from '../../foundation/kernel/time.ts'
import type { Deps } from '../../operations/deps.ts'
import { type Cli, printResult, readPublicUrl, withDeps } from './context.ts'
import { choiceOption } from './values.ts'

interface SetupFlags {
  currency: string
  amount?: Amounts
}

type Amounts = Partial<Record<OfferName, number>>

const examples = `
Examples:
  storedex billing link acct_… --plan pro --billing annual
  storedex billing reconcile
  storedex billing setup --amount pro_monthly=49 --amount pro_annual=490`

export function addBillingCommands(billing: Command, cli: Cli): void {
  billing.addHelpText('after', examples)

  billing
    .command('link')
    .description('make a link with which a customer buys a plan at the payment provider')
    .argument('<account>', 'acct_…')
    .addOption(choiceOption('--plan <plan>', 'the plan to buy', paidPlans).makeOptionMandatory())
    .addOption(choiceOption('--billing <billing>', 'its billing interval', billingIntervals).default('monthly'))
    .addHelpText('after', aboutLinks)
    .action((accountId: string, offer: Offer, command: Command) =>
      withDeps(cli, async (deps) => {
        const { createOperatorLink } = await import('../../customers/billing/operator-link.ts')
        const ctx = { ...deps, publicUrl: await readPublicUrl(deps) }
        const link = await createOperatorLink(ctx, accountId, offer)
        printResult(cli, command, link, formatLink(link, deps))
      }),
    )

  billing
    .command('reconcile')
    .description('update every account from the payment provider')
    .action((_flags: object, command: Command) =>
      withDeps(cli, async (deps) => {
        const result = await reconcileAccounts(deps)
        const { checked, changed } = result
        printResult(
          cli,
          command,
          result,
          `Accounts checked: ${formatNumber(checked)}, changed: ${formatNumber(changed)}.`,
        )
      }),
    )

  billing
    .command('setup')
    .description('create missing products, prices, portal and webhook endpoint at Stripe')
    .option('--currency <code>', 'currency of new prices', parseCurrency, 'usd')
    .option('--amount <offer=amount>', 'amount of a new price, like pro_monthly=49; repeatable', collectAmount)
    .action(({ currency, amount = {} }: SetupFlags, command: Command) =>
      withDeps(cli, async (deps) => {
        const result = await setUpStripe(connectStripe(requireKey(deps)), {
          publicUrl: requirePublicUrl(deps),
          plans: deps.plans,
          currency,
          cents: amount,
        })
        printResult(cli, command, result, formatSetup(result))
      }),
    )
}

const aboutLinks = `
The customer opens the link and confirms there; the plan follows within seconds. Whoever has the link can open it, so send
it to nobody else. It counts against the hourly limit of the account's links (accounts set --limit
billing_links_per_hour=N), and a new checkout closes the customer's older ones.`

const linkPurposes: Record<OperatorLink['kind'], string> = {
  checkout: 'The customer buys the plan here',
  subscription_update_confirm: 'The customer has a subscription, and confirms the higher plan here',
  billing_portal: 'The customer has a subscription with a payment problem, and settles it here',
}

function formatLink({ kind, url, expires_at }: OperatorLink, { standin }: Deps): string {
  const end = expires_at === null ? '' : `, until ${expires_at}`
  const note = standin
    ? '\nIt is a page of the local stand-in, which answers while the service runs; no money moves.'
    : ''
  return `${linkPurposes[kind]}${end}:\n${url}${note}`
}

function requireKey({ config: { stripe } }: Deps) {
  if (stripe.secretKey === null)
    throw new OperatorError('Set STRIPE_SECRET_KEY first; the local stand-in needs no setup.')
  return { ...stripe, secretKey: stripe.secretKey }
}

function requirePublicUrl({ config: { publicUrl } }: Deps): string {
  if (publicUrl === null) throw new OperatorError('Set PUBLIC_URL to the address at which Stripe reaches this service.')
  return publicUrl
}

function parseCurrency(value: string): string {
  if (!/^[a-z]{3}$/i.test(value) || fractionDigits(value) !== 2)
    throw new InvalidArgumentError('Give a currency that has hundredths, like usd.')
  return value.toLowerCase()
}

function fractionDigits(currency: string): number | undefined {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits
}

function collectAmount(value: string, previous: Amounts = {}): Amounts {
  const [, name, whole, cents = ''] = /^(\w+)=(\d{1,6})(?:\.(\d{1,2}))?$/.exec(value) ?? []
  const offer = offerNames.find((each) => each === name)
  if (!offer) throw new InvalidArgumentError(`Give ${offerNames.join(', ')}, and an amount like 49 or 49.90.`)
  return { ...previous, [offer]: Number(whole) * 100 + Number(cents.padEnd(2, '0')) }
}

/** Lines for the environment, after a comment for the operator. */
function formatSetup({ prices, webhook_secret, created }: StripeSetupResult): string {
  const lines = offerNames.map((name) => `STRIPE_PRICE_${name.toUpperCase()}=${prices[name]}`)
  if (webhook_secret !== null) lines.push(`STRIPE_WEBHOOK_SECRET=${webhook_secret}`)
  const summary = created.length === 0 ? 'Nothing was missing.' : `Created: ${created.join(', ')}.`
  const secret =
    webhook_secret === null
      ? 'The webhook endpoint existed: its secret is in the Stripe dashboard.'
      : 'The secret is shown only once.'
  return [`# ${summary} ${secret}`, ...lines].join('\n')
}
