/** Trusted HTML; every other value is escaped when inserted into a page. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type HtmlPart = Html | string | readonly Html[] | null | false

/** Template tag that escapes its values, except `Html`; null and false insert nothing. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlPart[]): Html {
  return new Html(strings.map((piece, index) => piece + toHtmlText(values[index] ?? null)).join(''))
}

function toHtmlText(part: HtmlPart): string {
  if (part === null || part === false) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'string') return part.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
  return part.map(toHtmlText).join('')
}

/** A list of names and values, one to a line. */
export function factList(facts: readonly (readonly [name: string, value: HtmlPart])[]): Html {
  return html`<dl>${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

/** A link that looks like a button. */
export function linkButton(address: string, label: string, look: 'main' | 'plain' = 'main'): Html {
  return html`<a class="button ${look}" href="${address}">${label}</a>`
}

/** Buttons side by side. */
export function actions(...buttons: readonly Html[]): Html {
  return html`<div class="actions">${buttons}</div>`
}
