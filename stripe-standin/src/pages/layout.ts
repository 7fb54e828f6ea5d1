import { minuteOf } from './format.ts'
import { type Html, type HtmlPart, html } from './html.ts'
import { styleElement } from './style.ts'

/** A page, before it is sent. */
export interface Page {
  readonly status: number
  /** What the tab and a screen reader announce; it is the heading too. */
  readonly title: string
  readonly notice?: Notice | undefined
  readonly body: HtmlPart
  /** Where the page's forms lead when they are done, if that is another site. */
  readonly redirectsTo?: string | null
}

/** What has happened or has gone wrong, said before all else. */
export interface Notice {
  readonly tone: 'good' | 'bad'
  readonly text: string
}

/** A whole document. `now` is the stand-in's clock, in seconds. */
export function renderDocument(page: Page, now: number): string {
  // A page that tells of a failure is announced by its title already.
  const title = page.notice?.tone === 'bad' ? `Problem: ${page.title}` : page.title
  return `<!doctype html>\n${
    html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} – local stand-in for Stripe</title>
${styleElement}
</head>
<body>
<header class="standin"><p><strong>Local stand-in for Stripe:</strong> no money moves, no real card is asked for.</p></header>
<main>
<h1>${page.title}</h1>
${page.notice && renderNotice(page.notice)}
${page.body}
</main>
<footer><p>Its clock shows ${minuteOf(now)}.</p></footer>
</body>
</html>
`.text
  }`
}

function renderNotice({ tone, text }: Notice): Html {
  return html`<p class="notice ${tone}" role="${tone === 'bad' ? 'alert' : 'status'}">${text}</p>`
}

/** Names and values, each pair in a line. */
export function facts(pairs: readonly (FactPair | false | null | undefined)[]): Html {
  const shown = pairs.filter((pair) => !!pair)
  return html`<dl class="facts">${shown.map(
    ({ name, value, sum }) => html`<div${sum && html` class="sum"`}><dt>${name}</dt><dd>${value}</dd></div>\n`,
  )}</dl>`
}

export interface FactPair {
  readonly name: string
  readonly value: HtmlPart
  /** Set for the line that matters most. */
  readonly sum?: boolean
}
