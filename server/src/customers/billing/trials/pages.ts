import { actions, factList, type Html, type HtmlPart, html, linkButton } from '../../../foundation/http/pages/html.ts'
import type { HtmlPage } from '../../../foundation/http/pages/page.ts'
import { formatNumber } from '../../../foundation/kernel/time.ts'
import { formatDate, formatPrice } from '../format.ts'
import type { ProviderSubscription } from '../provider.ts'
import type { TrialState } from './state.ts'

/** The content of the trial page. */
export interface TrialPageContent {
  state: TrialState
  /** Its form sends this back. */
  confirmation: string
  /** Whether there is a console to lead to. */
  hasConsole: boolean
}

export function trialPage(view: TrialPageContent): HtmlPage {
  return { status: 200, ...pageContent(view) }
}

/** The trial page after a form that was outdated. */
export function outdatedFormPage(view: TrialPageContent): HtmlPage {
  const { title, body } = pageContent(view)
  const notice = html`<p class="note" role="alert">Nothing was changed: the page was out of date. Please check it and try again.</p>`
  return { status: 409, title, body: html`${notice}${body}` }
}

function pageContent({ state, confirmation, hasConsole }: TrialPageContent): { title: string; body: Html } {
  const { planName, step } = state
  const form = (label: string) => html`<form method="post">
        <input type="hidden" name="confirmation" value="${confirmation}" />
        <button>${label}</button>
      </form>`
  const toConsole = (label: string) => hasConsole && actions(linkButton('/billing', label))
  switch (step.kind) {
    case 'end_trial':
      return {
        title: `Start the paid ${planName} plan now`,
        body: html`<p>You are on a trial. Ending it now starts the paid plan at once, with all of its contact credits.</p>
      ${trialFacts(state)}
      <h2>What happens next</h2>
      <ul>
        <li>The payment method on file is charged as soon as you confirm.</li>
        <li>${afterwards(step.subscription)}</li>
        <li>Nothing changes if you close this page.</li>
      </ul>
      ${form('End the trial and start the paid plan')}`,
      }
    case 'add_payment_method':
      return {
        title: 'A payment method is needed first',
        body: html`<p>You are on a trial. Before you can end it and start the paid plan, the payment provider needs a
      payment method.</p>
      ${trialFacts(state)}
      <h2>What happens next</h2>
      <ul>
        <li>You add the payment method on the payment provider's page. That charges nothing yet.</li>
        <li>Then you return to this page, where you can end the trial.</li>
        <li>Nothing changes if you close this page.</li>
      </ul>
      ${form('Add a payment method')}`,
      }
    case 'buy':
      return {
        title: `Start the paid ${planName} plan now`,
        body: html`<p>You are on a trial. It ends, and the paid plan starts, when you subscribe on the payment
      provider's page, which shows the price before anything is charged.</p>
      ${trialFacts(state)}
      ${form('Continue to the payment page')}
      <p>Nothing changes if you close this page.</p>`,
      }
    case 'retry_payment':
      return {
        title: 'The payment did not go through',
        body: html`<p>The trial has ended, but the payment failed or was not completed, so the paid plan cannot be used
      yet. On the payment provider's page you can enter another payment method; the payment is then tried again.</p>
      ${factList(paidPlanFacts(state))}
      ${form('Enter another payment method')}`,
      }
    case 'needs_manager':
      return {
        title: withoutManager[step.instead].title,
        body: html`<p>${withoutManager[step.instead].reason} This link may not do that.</p>
      ${step.instead === 'retry_payment' ? null : trialFacts(state)}
      <p>Please ask somebody who manages billing for this account.</p>
      ${toConsole('Open billing in the console')}
      <p class="aside">For developers: the API key behind this link lacks the scope <code>billing:manage</code>;
      see <a href="/docs/guide#billing">the guide</a>.</p>`,
      }
    case 'plan_active':
      return {
        title: `The paid ${planName} plan is active`,
        body: html`<p>The trial is over. The credits of the paid plan are available.</p>
      ${activePlanFacts(state, step.subscription)}
      ${toConsole('See your plan')}
      <p>You can close this page.</p>`,
      }
    case 'no_plan':
      return {
        title: 'There is no trial any more',
        body: html`<p>The account has neither a trial nor a paid plan.</p>
      ${toConsole('Choose a plan')}
      <p>Or ask for a link to buy a plan where you got this one.</p>`,
      }
    case 'contact_operator':
      return {
        title: 'This trial cannot be ended here',
        body: html`<p>Please ask the person who opened the account for you: they can start the paid plan.</p>`,
      }
  }
}

/** What has to be done at the provider first, for a link that may not lead there. */
const withoutManager = {
  add_payment_method: {
    title: 'A payment method is needed first',
    reason: 'You are on a trial. Before it can be ended, the payment provider needs a payment method.',
  },
  buy: {
    title: 'The paid plan has to be bought',
    reason: 'You are on a trial. It ends, and the paid plan starts, when somebody subscribes on the payment page.',
  },
  retry_payment: {
    title: 'The payment did not go through',
    reason: 'The trial has ended, but the payment failed or was not completed. It has to be paid again.',
  },
} as const

type Fact = [name: string, value: HtmlPart]

function paidPlanFacts({ planName, price }: TrialState): Fact[] {
  return [['Plan', planName], ...(price ? [['Price', formatPrice(price)] satisfies Fact] : [])]
}

function trialFacts(state: TrialState): Html {
  const { trialEndsAt, credits } = state
  return factList([
    ...paidPlanFacts(state),
    ['Trial until', trialEndsAt ? formatDate(trialEndsAt) : 'it is ended'],
    ['Contact credits now', `${formatNumber(credits.remaining)} of ${formatNumber(credits.total)} left`],
    ['Contact credits on the paid plan', `${formatNumber(credits.paidPlanTotal)} a month`],
  ])
}

function activePlanFacts(state: TrialState, subscription: ProviderSubscription | null): Html {
  const until = subscription?.currentPeriodEnd
  const { credits } = state
  return factList([
    ...paidPlanFacts(state),
    ...(until ? [[subscription.cancelAtPeriodEnd ? 'Ends on' : 'Renews on', formatDate(until)] satisfies Fact] : []),
    ['Contact credits', `${formatNumber(credits.remaining)} of ${formatNumber(credits.total)} left`],
  ])
}

function afterwards({ cancelAtPeriodEnd, price }: ProviderSubscription): string {
  if (cancelAtPeriodEnd) return 'The plan is set to end after its first paid period.'
  return price?.intervalCount === 1
    ? `The plan then renews every ${price.interval} until you cancel it.`
    : 'The plan then renews until you cancel it.'
}
