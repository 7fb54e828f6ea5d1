import { externalLinkButton, html } from './html.ts'
import type { HtmlPage } from './layout.ts'

export function unknownLinkPage(): HtmlPage {
  return {
    status: 404,
    title: 'This link is not valid',
    body: html`<p>There is no such page. The link may be incomplete, or belong to another
stand-in or to one whose data was deleted.</p>
<p>Ask the service that gave you the link for a new one. Nothing was changed.</p>`,
  }
}

/** `back` is the page that the customer came from. */
export function expiredLinkPage(back: string | null): HtmlPage {
  return {
    status: 410,
    title: 'This link has expired',
    body: html`<p>Links to this page work for a short time only. Nothing was changed by this one.</p>
<p>Ask the service that gave you the link for a new one.</p>
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
