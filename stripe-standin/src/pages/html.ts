/** Text that is already HTML; all other values are escaped. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type HtmlPart = Html | string | number | null | undefined | false | readonly HtmlPart[]

/** Template tag that escapes values unless they are `Html`; null, undefined and false render nothing. */
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
 * An external URL for a link or redirect: http or https, in ASCII. The integrating service chose it, so other schemes
 * such as `javascript:` are dropped.
 */
export function safeExternalUrl(address: string | null): string | null {
  if (!address || !URL.canParse(address)) return null
  const url = new URL(address)
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null
}

/** The origin of such a URL, for the Content-Security-Policy. */
export function externalOrigin(address: string | null): string | null {
  const url = safeExternalUrl(address)
  return url && new URL(url).origin
}

/** A link styled as a button; null without a valid URL. */
export function externalLinkButton(address: string | null, label: string): Html | null {
  const url = safeExternalUrl(address)
  return url === null ? null : html`<a class="button" href="${url}">${label}</a>`
}
