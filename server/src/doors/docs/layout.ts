import { Html, type HtmlPart, html } from '../../foundation/http/pages/html.ts'
import { colours, styleOnlyPolicy } from '../../foundation/http/pages/page.ts'
import { type DocumentPage, pathOf } from './pages.ts'

/** The bar above the reference and above the documents: the same links everywhere. */
export const barHeight = '3rem'

export const barStyle = `
.bar { display: flex; align-items: center; gap: 1.25rem; height: ${barHeight}; padding: 0 1.25rem; font-size: 0.875rem;
  border-bottom: 1px solid var(--line); background: var(--surface); color: var(--text); box-sizing: border-box; }
.bar strong { font-weight: 600; white-space: nowrap; }
.bar ul { display: flex; flex: 1; min-width: 0; gap: 1.25rem; list-style: none; margin: 0; padding: 0 1.5rem 0 0;
  overflow-x: auto; scrollbar-width: none; mask-image: linear-gradient(to right, #000 calc(100% - 1.5rem), transparent); }
.bar a { display: block; color: var(--muted); text-decoration: none; padding: 0.25rem 0; white-space: nowrap; }
.bar a:hover { color: var(--text); text-decoration: underline; }
.bar a[aria-current] { color: var(--text); font-weight: 600; }
.bar a:focus-visible { outline: 2px solid var(--accent-text); outline-offset: -1px; }
@media (max-width: 40rem) { .bar { gap: 1rem; padding: 0 1rem; } .bar strong { display: none; } }
`

/** `current` is the path of the page itself. */
export function documentationBar(pages: readonly DocumentPage[], current: string): Html {
  const link = (path: string, label: string) =>
    html`<a href="${path}"${path === current && new Html(' aria-current="page"')}>${label}</a>`
  const forCustomers = pages.filter(({ reader }) => reader === 'customer')
  return html`<nav class="bar" aria-label="Documentation">
      <strong>Storedex API</strong>
      <ul>
        <li>${link('/docs', 'Reference')}</li>
        ${forCustomers.map(
          (page) => html`<li>${link(pathOf(page), page.label)}</li>
        `,
        )}<li>${link('/', 'Console')}</li>
      </ul>
      ${link('/docs/search', 'Search')}
    </nav>`
}

interface SitePage {
  path: string
  title: string
  description: string
  /** The page has an address of its own that search engines should show. */
  isIndexed: boolean
  /** Beside the content; null for none. */
  sections: Html | null
  content: HtmlPart
}

/** A page with the bar above and all pages below it. */
export function sitePage(pages: readonly DocumentPage[], publicUrl: string, page: SitePage): string {
  const { path, title, description, isIndexed, sections, content } = page
  const document = html`<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>${title} · Storedex</title>
    <meta name="description" content="${description}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    ${isIndexed ? html`<link rel="canonical" href="${publicUrl + path}" />` : html`<meta name="robots" content="noindex" />`}
    <link rel="icon" href="data:," />
    <style>${new Html(style)}</style>
    <script src="/docs/page.js" defer></script>
  </head>
  <body>
    ${documentationBar(pages, path)}
    <div class="columns">
      ${sections}
      <main>${content}</main>
    </div>
    ${footer(pages, isIndexed ? path : null)}
  </body>
</html>
`
  return `<!doctype html>\n${document.text}`
}

function footer(pages: readonly DocumentPage[], path: string | null): Html {
  const links = (reader: DocumentPage['reader']) =>
    pages
      .filter((page) => page.reader === reader)
      .map((page) => html`<li><a href="${pathOf(page)}">${page.label}</a></li>`)
  const forOperators = links('operator')
  return html`<footer>
      <div><h2>For developers</h2>
        <ul><li><a href="/docs">Reference</a></li>${links('customer')}</ul></div>
      ${
        forOperators.length > 0 &&
        html`<div><h2>More</h2>
        <ul>${forOperators}</ul></div>`
      }
      <div><h2>For programs</h2>
        <ul><li><a href="/api/v1/openapi.json">OpenAPI document</a></li><li><a href="/llms.txt">llms.txt</a></li>
          ${path !== null && html`<li><a href="${path}.md">This page as Markdown</a></li>`}</ul></div>
    </footer>`
}

const style = `${colours}
:root { font: 1rem/1.6 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif;
  scroll-padding-top: calc(${barHeight} + 1rem); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--surface); color: var(--text); }
${barStyle}
.bar { position: sticky; top: 0; z-index: 1; }
.columns { display: flex; max-width: 72rem; margin: 0 auto; }
.sections { flex: none; width: 14rem; position: sticky; top: ${barHeight}; align-self: flex-start; overflow: auto;
  max-height: calc(100vh - ${barHeight}); padding: 2rem 0 2rem 1.25rem; font-size: 0.875rem; }
.sections ul { list-style: none; margin: 0; padding: 0; }
.sections a { display: block; padding: 0.25rem 0; color: var(--muted); text-decoration: none; }
.sections a:hover { color: var(--text); text-decoration: underline; }
main { flex: 1; min-width: 0; padding: 1rem 1.25rem 4rem 2.5rem; overflow-wrap: break-word; }
main > p, main > ul, main > ol { max-width: 46rem; }
h1 { font-size: 1.75rem; line-height: 1.25; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 0.75rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.0625rem; margin: 1.75rem 0 0.5rem; }
a { color: var(--accent-text); text-underline-offset: 0.15em; }
.anchor { color: inherit; text-decoration: none; }
.anchor:hover { text-decoration: underline; }
code { font: 0.875em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; }
:not(pre) > code { padding: 0.1em 0.3em; background: var(--hover); border-radius: 0.25rem; }
pre, .table { overflow: auto; margin: 0 0 1.25rem; }
pre { padding: 0.875rem 1rem; background: var(--bg); border: 1px solid var(--line); border-radius: 0.375rem; }
.code { position: relative; }
.copy { position: absolute; top: 0.375rem; right: 0.375rem; min-height: 1.75rem; padding: 0.125rem 0.625rem;
  border: 1px solid var(--line); border-radius: 0.25rem; background: var(--surface); color: var(--text);
  font: inherit; font-size: 0.8125rem; cursor: pointer; }
/* Room for the button above the code. */
.code:has(.copy) pre { padding-top: 2.5rem; }
.copy:hover { background: var(--hover); }
/* A shadow at the side where more can be scrolled to; the covers move with the content. */
.table {
  --shade: light-dark(rgb(0 0 0 / 0.22), rgb(255 255 255 / 0.28));
  background: linear-gradient(to right, var(--surface) 40%, transparent) left / 2.5rem 100% no-repeat local,
    linear-gradient(to left, var(--surface) 40%, transparent) right / 2.5rem 100% no-repeat local,
    linear-gradient(to right, var(--shade), transparent) left / 0.875rem 100% no-repeat scroll,
    linear-gradient(to left, var(--shade), transparent) right / 0.875rem 100% no-repeat scroll; }
table { border-collapse: collapse; font-size: 0.875rem; }
th, td { text-align: left; vertical-align: top; padding: 0.5rem 1.25rem 0.5rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--muted); font-weight: 600; }
td > code { white-space: nowrap; }
form.search { display: flex; gap: 0.5rem; max-width: 36rem; margin: 0 0 1.5rem; }
form.search input { flex: 1; min-width: 0; min-height: 2.75rem; padding: 0 0.75rem; border: 1px solid var(--control);
  border-radius: 0.375rem; background: var(--surface); color: var(--text); font: inherit; }
form.search button { min-height: 2.75rem; padding: 0 1.125rem; border: 0; border-radius: 0.375rem;
  background: var(--accent); color: #fff; font: inherit; font-weight: 600; cursor: pointer; }
form.search button:hover { background: var(--accent-hover); }
.results { list-style: none; padding: 0; }
.results li { margin: 0 0 1.5rem; }
.results h2 { margin: 0; padding: 0; border: 0; font-size: 1.0625rem; }
.results p { margin: 0.125rem 0 0; }
.where { font-size: 0.8125rem; color: var(--muted); }
mark { background: light-dark(#fff1a8, #5a4a00); color: var(--text); border-radius: 0.125rem; }
footer { display: flex; flex-wrap: wrap; gap: 1.5rem 4rem; max-width: 72rem; margin: 0 auto; padding: 0 1.25rem 3rem 16.5rem;
  font-size: 0.875rem; }
footer h2 { margin: 0 0 0.5rem; padding: 0; border: 0; font-size: 0.875rem; }
footer ul { list-style: none; margin: 0; padding: 0; }
footer li { padding: 0.125rem 0; }
footer a { display: inline-block; padding: 0.125rem 0; }
:focus-visible { outline: 2px solid var(--accent-text); outline-offset: 2px; }
@media (max-width: 56rem) {
  .columns { display: block; }
  .sections { position: static; width: auto; max-height: none; padding: 1.25rem 1.25rem 0; }
  .sections ul { display: flex; gap: 0 1.25rem; overflow-x: auto; white-space: nowrap; }
  main { padding: 0.5rem 1.25rem 3rem; }
  footer { padding-left: 1.25rem; }
}
@media (max-width: 30rem) {
  .sections { padding: 1rem 1rem 0; }
  main { padding: 0 1rem 2.5rem; }
  footer { padding: 0 1rem 2.5rem; gap: 1.5rem 2.5rem; }
}
`

/** Adds a button to each block of code that copies it; a browser offers that on secure pages only. */
export const pageScript = `for (const block of navigator.clipboard ? document.querySelectorAll('.code') : []) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.querySelector('code').textContent)
    button.textContent = 'Copied'
    setTimeout(() => { button.textContent = 'Copy' }, 2000)
  })
  block.append(button)
}
`

export const sitePageHeaders = {
  'content-security-policy': `${styleOnlyPolicy(style)}; script-src 'self'`,
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache',
} as const
