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
