import { statusOf } from '../../../foundation/http/errors.ts'
import { actions, html, linkButton } from '../../../foundation/http/pages/html.ts'
import type { HtmlPage } from '../../../foundation/http/pages/page.ts'
import type { Refusal } from '../../../foundation/kernel/errors.ts'

/** Pages for links that open nothing. They show nothing of an account. */
export function expiredLinkPage(hasConsole: boolean): HtmlPage {
  return {
    status: 410,
    title: 'This link has expired',
    body: html`<p>Links to this page work for an hour. Nothing was changed. Get a new link where you got this one.</p>
      ${hasConsole && toConsole}`,
  }
}

export function invalidLinkPage(hasConsole: boolean): HtmlPage {
  return {
    status: 403,
    title: 'This link is not valid',
    body: html`<p>Please open the complete link, exactly as you received it. If it still does not work, get a new link
      where you got this one.</p>
      ${hasConsole && toConsole}`,
  }
}

/** For a link whose API key was revoked, suspended or has lost its scopes. */
export function keyRefusedPage(reason: string, status: 403 | 410, hasConsole: boolean): HtmlPage {
  return {
    status,
    title: 'This link is closed',
    body: html`<p>The API key that this link was made with ${reason}, so the link no longer works. Nothing was changed.
      Another key of the account can make a new link: ask for one where you got this one.</p>
      ${hasConsole && toConsole}`,
  }
}

/** For people who sign in themselves. */
const toConsole = html`<p>If you sign in to Storedex yourself, you find the same under Billing.</p>
      ${actions(linkButton('/billing', 'Open billing in the console', 'plain'))}`

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
    body: html`<p>${linkButton(url, 'Continue to the payment page')}</p>`,
    redirectUrl: url,
  }
}

/** An error page with a short explanation. */
export function errorPage(refusal: Refusal): HtmlPage {
  const { param, retryAfterSeconds = 60 } = refusal
  const status = statusOf(refusal)
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
      body: html`<p>The error is on our side and has been recorded. Open the link again to see how things stand.</p>`,
    }
  return { status, title: 'The request was not valid', body: html`<p>Please open the link again.</p>` }
}

function formatMinutes(seconds: number): string {
  const count = Math.ceil(seconds / 60)
  return count === 1 ? 'a minute' : `${count} minutes`
}
