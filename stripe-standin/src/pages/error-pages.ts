import { externalLinkButton, html } from './html.ts'
import type { Page } from './layout.ts'

export function unknownLinkPage(): Page {
  return {
    status: 404,
    title: 'This link leads nowhere',
    body: html`<p>There is no such page here. Perhaps the link was not copied whole, or it belongs to another
stand-in, or to one whose data were deleted.</p>
<p>Ask the service that gave you the link for a new one. Nothing was changed.</p>`,
  }
}

/** `back` is the page that the customer came from. */
export function expiredLinkPage(back: string | null): Page {
  return {
    status: 410,
    title: 'This link has expired',
    body: html`<p>Links to this page work for a short time only. Nothing was changed by this one.</p>
<p>Ask the service that gave you the link for a new one.</p>
${continueLink(back)}`,
  }
}

/** `onward` is where the customer was sent after using the link. */
export function usedLinkPage(onward: string | null): Page {
  return {
    status: 410,
    title: 'This link was used already',
    body: html`<p>It works once, and what you confirmed with it is done. It was not done a second time.</p>
${continueLink(onward)}`,
  }
}

/** The action of the page was already done or is no longer possible. */
export function nothingToDoPage(back: string | null): Page {
  return {
    status: 410,
    title: 'There is nothing to do here',
    body: html`<p>The plan that this page is about has ended, was changed, or is as you wanted it already. Nothing was changed now.</p>
${continueLink(back)}`,
  }
}

export function internalErrorPage(): Page {
  return {
    status: 500,
    title: 'This did not work',
    body: html`<p>The stand-in met an error of its own. Please go back and see how things stand before you try again.</p>`,
  }
}

/** A malformed request, which none of our pages sends. */
export function badRequestPage(status: number): Page {
  return {
    status,
    title: 'This cannot be read',
    body: html`<p>What the browser sent was not understood. Nothing was changed.</p>`,
  }
}

function continueLink(address: string | null) {
  const link = externalLinkButton(address, 'Go on')
  return link && html`<div class="actions">${link}</div>`
}
