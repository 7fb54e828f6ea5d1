import { formatDateTime } from './format.ts'
import { externalLinkButton, html } from './html.ts'
import type { HtmlPage } from './layout.ts'

export function startPage(): HtmlPage {
  return {
    status: 200,
    title: 'Nothing to do here yet',
    body: html`<p>This program takes the place of Stripe, so that buying a plan can be tried without money.</p>
<p>Its pages for payments are opened by links: choose a plan in the service, or ask the service for a link.</p>`,
  }
}

export function unknownLinkPage(): HtmlPage {
  return {
    status: 404,
    title: 'This link is not valid',
    body: html`<p>There is no such page. The link may be incomplete, or belong to another
stand-in or to one whose data was deleted.</p>
<p>Ask the service that gave you the link for a new one. Nothing was changed.</p>`,
  }
}

/** `back` is the page that the customer came from; `until` is when the link ended, in seconds. */
export function expiredLinkPage(back: string | null, until: number): HtmlPage {
  return {
    status: 410,
    title: 'This link has expired',
    body: html`<p>It worked until ${formatDateTime(until)}. Nothing was changed by it.</p>
<p>Ask the service that gave you the link for a new one.</p>
${continueLink(back)}`,
  }
}

/** The link was replaced: of a customer's checkouts only the newest can be paid. */
export function newerLinkPage(back: string | null): HtmlPage {
  return {
    status: 410,
    title: 'There is a newer link',
    body: html`<p>A newer link to this page was made for you, and only the newest one works. Nothing was changed by this
one.</p>
<p>Use the newest link. If you do not have it, ask the service that gave you this one.</p>
${continueLink(back)}`,
  }
}

/** The customer has a plan, so the service has closed the link. */
export function neededNoMorePage(back: string | null): HtmlPage {
  return {
    status: 410,
    title: 'This link is no longer needed',
    body: html`<p>You already have a plan, so nothing can be bought with this link any more. Nothing was changed by it.</p>
<p>To change your plan, ask the service that gave you the link for a new one.</p>
${continueLink(back)}`,
  }
}

/** The service closed the link before its time. */
export function closedLinkPage(back: string | null): HtmlPage {
  return {
    status: 410,
    title: 'This link was closed',
    body: html`<p>The service that gave you this link has closed it. Nothing was changed by it.</p>
<p>Ask the service for a new one.</p>
${continueLink(back)}`,
  }
}

/** `onward` is where the customer was sent after using the link. */
export function usedLinkPage(onward: string | null): HtmlPage {
  return {
    status: 410,
    title: 'This link was already used',
    body: html`<p>The link works once. Your confirmation was carried out once and not repeated.</p>
${continueLink(onward)}`,
  }
}

/** The action of the page was already done or is no longer possible. */
export function nothingToDoPage(back: string | null): HtmlPage {
  return {
    status: 410,
    title: 'There is nothing to do here',
    body: html`<p>This plan has ended, has changed, or is already as you wanted it. Nothing was changed now.</p>
${continueLink(back)}`,
  }
}

export function internalErrorPage(): HtmlPage {
  return {
    status: 500,
    title: 'This did not work',
    body: html`<p>The stand-in had an internal error. Go back and check the current state before you try again.</p>`,
  }
}

/** A malformed request, which none of our pages sends. */
export function badRequestPage(status: number): HtmlPage {
  return {
    status,
    title: 'Invalid request',
    body: html`<p>The stand-in does not understand what the browser sent. Nothing was changed.</p>`,
  }
}

function continueLink(address: string | null) {
  const link = externalLinkButton(address, 'Continue')
  return link && html`<div class="actions">${link}</div>`
}
