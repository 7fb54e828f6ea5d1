/** Text that is HTML already; everything else is escaped on its way into a page. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type HtmlPart = Html | string | number | null | undefined | false | readonly HtmlPart[]

/** Template tag: what is put in is escaped, unless it is HTML itself; null, undefined and false leave nothing. */
export function html(pieces: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return new Html(pieces.map((piece, index) => piece + (index < parts.length ? asText(parts[index]) : '')).join(''))
}

function asText(part: HtmlPart): string {
  if (part instanceof Html) return part.text
  if (part === null || part === undefined || part === false) return ''
  if (typeof part === 'object') return part.map(asText).join('')
  return String(part).replace(/[&<>"']/g, (sign) => entities[sign]!)
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/**
 * An address of another site as it may stand in a link or a redirect: http or https, and written in ASCII. Whoever made
 * the session chose it, so that nothing else (`javascript:`) may come through; then there is no way back but the browser's.
 */
export function safeExternalUrl(address: string | null): string | null {
  if (!address || !URL.canParse(address)) return null
  const url = new URL(address)
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null
}

/** The site of such an address, as a Content-Security-Policy names it. */
export function externalOrigin(address: string | null): string | null {
  const url = safeExternalUrl(address)
  return url && new URL(url).origin
}

/** A link that looks like a button; nothing when there is nowhere to go. */
export function externalLinkButton(address: string | null, words: string): Html | null {
  const url = safeExternalUrl(address)
  return url === null ? null : html`<a class="button" href="${url}">${words}</a>`
}
