import type { FastifyInstance, FastifyRequest } from 'fastify'
import { actions, factList, type Html, html, linkButton } from '../../../foundation/http/pages/html.ts'
import { type HtmlPage, sendPage } from '../../../foundation/http/pages/page.ts'
import type { PlanFile } from '../../accounts/plans.ts'
import { billingPagePaths } from '../context.ts'
import { offerFacts } from '../format.ts'
import { priceOf, readPrices } from '../prices.ts'
import { type BillingProvider, billingIntervals, type Offer, type OfferPrice, paidPlans } from '../provider.ts'

interface LinkPageContext {
  billing: BillingProvider
  plans: PlanFile
  /** Whether the console is served, to which the pages then lead. */
  hasConsole: boolean
}

/** The plan of the link that the browser returns from, and its price if the provider gives it. */
interface Chosen extends Offer {
  facts: Html
}

// While the provider fails, the pages show no price and do not ask it for every visitor.
const pauseAfterFailureMs = 10_000

/**
 * The pages at `billingPagePaths`, which follow the provider's page. The address names the offer; everything
 * shown is public, and nothing of an account.
 */
export function registerLinkPages(app: FastifyInstance, { billing, plans, hasConsole }: LinkPageContext): void {
  let failedAtMs = Number.NEGATIVE_INFINITY
  const pricesAt = async (now: Date): Promise<readonly OfferPrice[]> => {
    if (Math.abs(now.getTime() - failedAtMs) < pauseAfterFailureMs) return []
    const prices = await readPrices(billing)
    if (prices.length === 0) failedAtMs = now.getTime()
    return prices
  }
  const chosenIn = async ({ query, now }: FastifyRequest): Promise<Chosen | null> => {
    const offer = offerIn(query)
    if (!offer || !billing.isForSale(offer.plan, offer.billing)) return null
    return { ...offer, facts: factList(offerFacts(plans, offer, priceOf(await pricesAt(now), offer))) }
  }
  const pages = {
    done: (chosen: Chosen | null) => (chosen ? boughtPage(chosen, hasConsole) : returnedPage(hasConsole)),
    canceled: (chosen: Chosen | null) => canceledPage(chosen, hasConsole),
    test: () => testModePage,
  }
  app.register(async (site) => {
    for (const name of Object.keys(billingPagePaths) as (keyof typeof billingPagePaths)[])
      site.get(billingPagePaths[name], { schema: { hide: true } }, async (request, reply) =>
        sendPage(reply, { status: 200, ...pages[name](await chosenIn(request)) }),
      )
  })
}

/** The offer that an address names, as `billingContext` writes it; anything else is ignored. */
function offerIn(query: unknown): Offer | null {
  const { plan, billing } = query as { plan?: unknown; billing?: unknown }
  const [knownPlan, knownBilling] = [
    paidPlans.find((each) => each === plan),
    billingIntervals.find((each) => each === billing),
  ]
  return knownPlan && knownBilling ? { plan: knownPlan, billing: knownBilling } : null
}

type PageContent = Omit<HtmlPage, 'status'>

function boughtPage({ facts }: Chosen, hasConsole: boolean): PageContent {
  return {
    title: 'Thank you',
    body: html`<p>You chose this plan:</p>
      ${facts}
      <h2>What happens next</h2>
      <ul>
        <li>The payment provider tells us that you confirmed, usually within seconds. Then the plan is yours.</li>
        <li>If you did not confirm on the payment page, nothing changes and nothing is charged.</li>
        <li>Invoices, the payment method and cancellation are on the payment provider's
        page${hasConsole && ', under “Manage billing” in the console'}.</li>
      </ul>
      ${wayOnward(hasConsole, { label: 'See your plan', address: '/billing' })}`,
  }
}

function returnedPage(hasConsole: boolean): PageContent {
  return {
    title: 'You are back from the payment provider',
    body: html`<p>What you changed there takes effect within seconds. If you changed nothing, everything stays as it was.</p>
      ${wayOnward(hasConsole, { label: 'See your plan', address: '/billing' })}`,
  }
}

function canceledPage(chosen: Chosen | null, hasConsole: boolean): PageContent {
  const address = chosen
    ? `/billing?${new URLSearchParams({ plan: chosen.plan, billing: chosen.billing })}`
    : '/billing'
  return {
    title: 'Nothing was bought',
    body: html`<p>You left the payment page without confirming. Nothing changes, and nothing is charged.</p>
      ${chosen?.facts ?? null}
      <p>If you want the plan after all, open the same link again while it is valid, or ask for a new one where you got
      it.</p>
      ${wayOnward(hasConsole, { label: 'Choose a plan', address })}`,
  }
}

const testModePage: PageContent = {
  title: 'This is test mode',
  body: html`<p>This link was made with a test key, so nothing can be bought here: there is no plan, no card and no
    invoice. Made with a live key, it leads to the payment page.</p>
    ${actions(linkButton('/docs/guide#live-and-test', 'Read about test mode', 'plain'))}`,
}

/** Into the console for people who sign in there; others came from a program, which sees the change by itself. */
function wayOnward(hasConsole: boolean, { label, address }: { label: string; address: string }): Html {
  const close = 'close this page and go back to where you got the link. It notices a new plan by itself.'
  return hasConsole
    ? html`${actions(linkButton(address, label))}
      <p class="aside">You do not sign in to Storedex yourself? Then ${close}</p>`
    : html`<p>You can ${close}</p>`
}
