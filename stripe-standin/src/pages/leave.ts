import { type Html, html } from './html.ts'

/**
 * An address of another site as it may stand in a link or a redirect: http or https, and written in ASCII. Whoever made
 * the session chose it, so that nothing else (`javascript:`) may come through; then there is no way back but the browser's.
 */
export function outsideUrl(address: string | null): string | null {
  if (!address || !URL.canParse(address)) return null
  const url = new URL(address)
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null
}

/** The site of such an address, as a Content-Security-Policy names it. */
export function siteOf(address: string | null): string | null {
  const url = outsideUrl(address)
  return url && new URL(url).origin
}

/** A link that looks like a button; nothing when there is nowhere to go. */
export function wayBack(address: string | null, words: string): Html | null {
  const url = outsideUrl(address)
  return url === null ? null : html`<a class="button" href="${url}">${words}</a>`
}
