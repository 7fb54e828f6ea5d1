import { type Command, InvalidArgumentError } from 'commander'
import { connectStripe } from '../billing/stripe/connection.ts'
import { type OfferName, offerNames, type StripeSetupResult, setUpStripe } from '../billing/stripe/setup.ts'
import { reconcileAccounts } from '../billing/sync/reconcile.ts'
import type { Deps } from '../deps.ts'
import { OperatorError } from '../kernel/errors.ts'
import { formatNumber } from '../kernel/time.ts'
import { type Cli, printResult, withDeps } from './context.ts'

interface SetupFlags {
  currency: string
  amount?: Amounts
}

type Amounts = Partial<Record<OfferName, number>>

export function addBillingCommands(program: Command, cli: Cli): void {
  const billing = program.command('billing').description('set up and reconcile billing')

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
