import { createHash } from 'node:crypto'
import { formatDateTime } from './format.ts'
import { Html, type HtmlPart, html } from './html.ts'

export interface HtmlPage {
  readonly status: number
  /** Title of the tab and heading of the page. */
  readonly title: string
  readonly notice?: Notice | undefined
  readonly body: HtmlPart
  /** Origin to which the page's forms may redirect. */
  readonly redirectsTo?: string | null
}

/** A success or error message at the top of the page. */
export interface Notice {
  readonly tone: 'good' | 'bad'
  readonly text: string
}

/** The whole document. `now` is the stand-in's clock, in seconds. */
export function renderDocument(page: HtmlPage, now: number): string {
  // Screen readers read the title first, so it announces the error.
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
<footer><p>Its clock shows ${formatDateTime(now)}.</p></footer>
</body>
</html>
`.text
  }`
}

function renderNotice({ tone, text }: Notice): Html {
  return html`<p class="notice ${tone}" role="${tone === 'bad' ? 'alert' : 'status'}">${text}</p>`
}

export function descriptionList(pairs: readonly (DescriptionItem | false | null | undefined)[]): Html {
  const shown = pairs.filter((pair) => !!pair)
  return html`<dl class="facts">${shown.map(
    ({ name, value, sum }) => html`<div${sum && html` class="sum"`}><dt>${name}</dt><dd>${value}</dd></div>\n`,
  )}</dl>`
}

interface DescriptionItem {
  readonly name: string
  readonly value: HtmlPart
  /** Emphasizes the line. */
  readonly sum?: boolean
}

/** Styles of all pages, light and dark. Text contrast is at least 4.5, borders and focus rings at least 3. */
const style = `
:root{color-scheme:light dark;
--page:light-dark(#f4f5f7,#111214);--surface:light-dark(#fff,#18191c);--hover:light-dark(#eef0f4,#24262b);
--text:light-dark(#1b2433,#ededf0);--muted:light-dark(#505a6b,#a4a5b0);
--line:light-dark(#d5dae2,#34363d);--faint:light-dark(#e6e9ee,#2b2d33);--control:light-dark(#6b7587,#85868f);
--accent:light-dark(#1a4fb4,#3f68e4);--accent-hover:light-dark(#143d8d,#345ace);
--accent-text:light-dark(#1a4fb4,#96b2ff);--accent-soft:light-dark(#eef3fd,#1d2848);
--danger:#b3261e;--danger-hover:#8c1d17;--focus:light-dark(#d2650a,#f0a35e);
--warning:light-dark(#3f2f00,#f5dfa6);--warning-line:light-dark(#a9853a,#8a6d2f);--warning-soft:light-dark(#fdf0c8,#332711);
--good:light-dark(#0f4a22,#a5e3bb);--good-line:light-dark(#1d7a3a,#4a9a66);--good-soft:light-dark(#e8f6ec,#14301f);
--bad:light-dark(#7a1610,#ffb1a8);--bad-line:light-dark(#b3261e,#d2574b);--bad-soft:light-dark(#fdecea,#3b1a18)}
*,*::before,*::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--text);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif}
.standin{background:var(--warning-soft);border-bottom:1px solid var(--warning-line);color:var(--warning);padding:.625rem 1rem;text-align:center}
.standin p{margin:0 auto;max-width:40rem}
main{background:var(--surface);border:1px solid var(--line);border-radius:.75rem;margin:2rem auto;max-width:40rem;padding:2rem}
footer{color:var(--muted);font-size:.875rem;margin:0 auto 2rem;max-width:40rem;padding:0 1rem;text-align:center}
footer p{margin:0}
h1{font-size:1.625rem;line-height:1.25;margin:0 0 1rem;overflow-wrap:anywhere}
h2{border-top:1px solid var(--line);font-size:1.125rem;margin:2rem 0 .75rem;padding-top:1.5rem}
h3{font-size:1rem;margin:1.25rem 0 .5rem}
p{margin:0 0 1rem;overflow-wrap:anywhere}
a{color:var(--accent-text);text-underline-offset:.15em}
.facts{margin:0 0 1.25rem}
.facts div{border-bottom:1px solid var(--faint);display:flex;flex-wrap:wrap;gap:0 1rem;justify-content:space-between;padding:.5rem 0}
.facts dt{color:var(--muted)}
.facts dd{margin:0;max-width:100%;overflow-wrap:anywhere}
.facts .sum{font-weight:600}
.facts .sum dt{color:inherit}
fieldset{border:0;margin:0 0 1.25rem;min-width:0;padding:0}
legend{font-weight:600;margin-bottom:.5rem;padding:0}
.choice{align-items:flex-start;border:1px solid var(--control);border-radius:.5rem;cursor:pointer;display:flex;gap:.75rem;margin-bottom:.5rem;padding:.75rem}
.choice:has(:checked){background:var(--accent-soft);border-color:var(--accent-text);box-shadow:inset 0 0 0 1px var(--accent-text)}
.choice input{accent-color:var(--accent-text);flex:none;height:1.125rem;margin:.25rem 0 0;width:1.125rem}
.choice span{min-width:0;overflow-wrap:anywhere}
.choice small{color:var(--muted);display:block;font-size:.875rem}
.actions{align-items:center;display:flex;flex-wrap:wrap;gap:.75rem}
.actions form{margin:0}
button,.button{background:var(--surface);border:1px solid var(--control);border-radius:.5rem;color:var(--text);cursor:pointer;display:inline-block;font:inherit;font-weight:600;line-height:1.25;min-height:2.75rem;padding:.6875rem 1.125rem;text-align:center;text-decoration:none}
button:hover,.button:hover{background:var(--hover)}
button.main{background:var(--accent);border-color:var(--accent);color:#fff}
button.main:hover{background:var(--accent-hover)}
button.danger{background:var(--danger);border-color:var(--danger);color:#fff}
button.danger:hover{background:var(--danger-hover)}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px}
.choice:has(:focus-visible){outline:3px solid var(--focus);outline-offset:2px}
.choice :focus-visible{outline:0}
.notice{border:1px solid;border-left-width:.375rem;border-radius:.5rem;margin:0 0 1.25rem;padding:.75rem 1rem}
.notice.good{background:var(--good-soft);border-color:var(--good-line);color:var(--good)}
.notice.bad{background:var(--bad-soft);border-color:var(--bad-line);color:var(--bad)}
.field{margin-bottom:1.25rem}
.field label{display:block;font-weight:600;margin-bottom:.375rem}
.field input{background:var(--surface);color:var(--text);border:1px solid var(--control);border-radius:.5rem;font:inherit;min-height:2.75rem;padding:.5rem .75rem;width:100%}
.invoices{list-style:none;margin:0;padding:0}
.invoices li{align-items:center;border-bottom:1px solid var(--faint);display:flex;flex-wrap:wrap;gap:.5rem 1rem;padding:.625rem 0}
.invoices small{color:var(--muted);display:block;font-size:.875rem}
.invoices .end{margin-left:auto;text-align:right}
.after{color:var(--muted);font-size:.875rem;margin:1.25rem 0 0}
.last{border-top:1px solid var(--line);margin-top:2rem;padding-top:1.5rem}
@media (max-width:30rem){
main{border-left:0;border-radius:0;border-right:0;margin:1rem 0;padding:1.25rem 1rem}
.actions>*,.actions form button{width:100%}
}
`

const styleElement = new Html(`<style>${style}</style>`)

const styleHash = createHash('sha256').update(style).digest('base64')

/**
 * Allows this style and forms to this server; no scripts, frames or external content. Browsers also apply `form-action`
 * to the redirect after a form, so its origin is listed.
 */
export function contentSecurityPolicy(redirectsTo: string | null): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    `form-action 'self'${redirectsTo ? ` ${redirectsTo}` : ''}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
