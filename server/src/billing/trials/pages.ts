import type { ApiError } from '../../kernel/errors.ts'
import { formatDay, formatNumber } from '../../kernel/time.ts'
import { type Html, type HtmlPage, html } from '../links/html-pages.ts'
import type { Price } from '../provider.ts'
import type { TrialState } from './state.ts'

/** The trial page. Its form sends `confirmation` back. */
export function trialPage(state: TrialState, confirmation: string): HtmlPage {
  return { status: 200, ...pageContent(state, confirmation) }
}

/** The trial page after a form that was outdated. */
export function outdatedFormPage(state: TrialState, confirmation: string): HtmlPage {
  const { title, body } = pageContent(state, confirmation)
  const notice = html`<p class="note" role="alert">Nothing was changed: the page was out of date. Please check it and try again.</p>`
  return { status: 409, title, body: html`${notice}${body}` }
}

function pageContent(state: TrialState, confirmation: string): { title: string; body: Html } {
  const { planName, step } = state
  const form = (label: string) => html`<form method="post">
        <input type="hidden" name="confirmation" value="${confirmation}" />
        <button>${label}</button>
      </form>`
  switch (step.kind) {
    case 'end_trial':
      return {
        title: `Start the paid ${planName} plan now`,
        body: html`<p>You are on a trial. Ending it now starts the paid plan at once, with all of its contact credits.</p>
      ${factList(state, step.subscription.price)}
      <p>The payment method on file is charged as soon as you confirm.${cancellationNote(step.subscription)}</p>
      ${form('End the trial and start the paid plan')}
      <p>Nothing changes if you close this page.</p>`,
      }
    case 'add_payment_method':
      return {
        title: 'A payment method is needed first',
        body: html`<p>You are on a trial. Before you can end it and start the paid plan, the payment provider needs a
      payment method. Adding one charges nothing yet; afterwards you return to this page.</p>
      ${factList(state, step.subscription.price)}
      ${form('Add a payment method')}
      <p>Nothing changes if you close this page.</p>`,
      }
    case 'buy':
      return {
        title: `Start the paid ${planName} plan now`,
        body: html`<p>You are on a trial. It ends, and the paid plan starts, when you subscribe on the payment
      provider's page, which shows the price before anything is charged.</p>
      ${factList(state, null)}
      ${form('Continue to the payment page')}
      <p>Nothing changes if you close this page.</p>`,
      }
    case 'retry_payment':
      return {
        title: 'The payment did not go through',
        body: html`<p>The trial has ended, but the payment failed or was not completed, so the paid plan cannot be used
      yet. On the payment provider's page you can enter another payment method; the payment is then tried again.</p>
      ${form('Continue to the payment page')}`,
      }
    case 'needs_manager':
      return {
        title: withoutManager[step.instead].title,
        body: html`<p>${withoutManager[step.instead].reason} This link cannot do that: the API key it was created with may
      not manage billing.</p>
      ${step.instead === 'retry_payment' ? null : factList(state, null)}
      <p>Ask somebody who manages billing for this account. With a key that has the scope <code>billing:manage</code>, a
      program gets such a link from <code>GET /api/v1/usage</code> during the trial, and from
      <code>POST /api/v1/billing/portal-link</code> at any time.</p>`,
      }
    case 'plan_active':
      return {
        title: `The paid ${planName} plan is active`,
        body: html`<p>The trial is over. The credits of the paid plan are available.</p>
      ${factList(state, null)}
      <p>You can close this page.</p>`,
      }
    case 'no_plan':
      return {
        title: 'There is no trial any more',
        body: html`<p>The account has neither a trial nor a paid plan. To get a link to buy one, call
      <code>POST /api/v1/billing/subscription-link</code>.</p>`,
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

function factList({ planName, trialEndsAt, credits, step }: TrialState, price: Price | null): Html {
  const left = `${formatNumber(credits.remaining)} of ${formatNumber(credits.total)} left`
  const facts: [string, string][] =
    step.kind === 'plan_active'
      ? [
          ['Plan', planName],
          ['Contact credits', left],
        ]
      : [
          ['Plan', planName],
          ...(price ? [['Price', formatPrice(price)] as [string, string]] : []),
          ['Trial until', trialEndsAt ? formatDay(trialEndsAt) : 'it is ended'],
          ['Contact credits now', left],
          ['Contact credits on the paid plan', `${formatNumber(credits.paidPlanTotal)} a month`],
        ]
  return html`<dl>${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

function cancellationNote({ cancelAtPeriodEnd }: { cancelAtPeriodEnd: boolean }): string {
  return cancelAtPeriodEnd ? ' The plan is set to end after its first paid period.' : ''
}

/** "$49.00 a month". */
function formatPrice({ amount, currency, interval, intervalCount }: Price): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency })
  const amountText = format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
  return intervalCount === 1 ? `${amountText} a ${interval}` : `${amountText} every ${intervalCount} ${interval}s`
}

/** Pages for links that open nothing. They show nothing of an account. */
export const expiredLinkPage: HtmlPage = {
  status: 410,
  title: 'This link has expired',
  body: html`<p>Links to this page are valid for an hour. A program gets a new one from <code>GET /api/v1/usage</code>, at
      <code>billing.url</code>.</p>`,
}

export const invalidLinkPage: HtmlPage = {
  status: 403,
  title: 'This link is not valid',
  body: html`<p>Please open the complete link, exactly as you received it.</p>`,
}

/** For a link whose API key was revoked, suspended or has lost its scopes. */
export function keyRefusedPage(reason: string, status: 403 | 410): HtmlPage {
  return {
    status,
    title: 'This link is closed',
    body: html`<p>The API key that this link was created with ${reason}, so the link no longer works. Nothing was
      changed. A program with another key of the account gets a new link from <code>GET /api/v1/usage</code>.</p>`,
  }
}

/** For a form that another site sent. */
export const crossSitePage: HtmlPage = {
  status: 403,
  title: 'Nothing was changed',
  body: html`<p>This form was not sent from our page. Please open the link that you received.</p>`,
}

/** Continues to a page of the payment provider. A 303 is impossible: `form-action 'self'` also applies to redirects. */
export function redirectPage(url: string): HtmlPage {
  return {
    status: 200,
    title: 'Continue to the payment provider',
    body: html`<p><a class="button" href="${url}">Continue to the payment page</a></p>`,
    redirectUrl: url,
  }
}

/** An error page with a short explanation. */
export function errorPage({ status, param, retryAfterSeconds = 60 }: ApiError): HtmlPage {
  if (status === 429 && param === 'billing_links')
    return {
      status,
      title: 'Too many payment pages were opened',
      body: html`<p>This account has reached its hourly limit of payment pages. Nothing was changed. Open the link
      again in ${formatMinutes(retryAfterSeconds)}.</p>`,
    }
  if (status === 503 || status === 429)
    return {
      status,
      title: 'Please try again in a moment',
      body: html`<p>${status === 503 ? 'The payment provider or this service is not responding.' : 'This page was opened too often.'}
      Nothing was lost: open the link again.</p>`,
    }
  if (status >= 500)
    return {
      status,
      title: 'Something went wrong',
      body: html`<p>The error is on our side and has been recorded.</p>`,
    }
  return { status, title: 'The request was not valid', body: html`<p>Please open the link again.</p>` }
}

function formatMinutes(seconds: number): string {
  const count = Math.ceil(seconds / 60)
  return count === 1 ? 'a minute' : `${count} minutes`
}
