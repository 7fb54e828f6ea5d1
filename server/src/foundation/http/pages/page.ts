import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { Html, html } from './html.ts'

/** A page without scripts. */
export interface HtmlPage {
  status: number
  title: string
  body: Html
  /** The browser continues to this URL at once. */
  redirectUrl?: string
}

/** The colours of the console, in light and dark. Each pair of text and background has a contrast of at least 4.5. */
export const colours = `
:root { color-scheme: light dark;
  --bg: light-dark(#f8f8f9, #111214); --surface: light-dark(#fff, #18191c); --hover: light-dark(#ececef, #24262b);
  --line: light-dark(#e1e1e6, #2b2d33); --control: light-dark(#85858f, #7d7e89);
  --text: light-dark(#1a1a1f, #ededf0); --muted: light-dark(#5b5b67, #a4a5b0);
  --accent: light-dark(#2c55d4, #3f68e4); --accent-hover: light-dark(#2446b3, #345ace);
  --accent-text: light-dark(#2448b8, #96b2ff); --warning: light-dark(#ad2017, #ff9d93);
  --warning-soft: light-dark(#fdecea, #3b1a18); }
`

const style = `${colours}
:root { font: 1rem/1.6 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--text); font-variant-numeric: tabular-nums; }
header, main, footer { max-width: 38rem; margin: 0 auto; }
header { padding: 1.75rem 1.25rem 0.875rem; font-weight: 600; color: var(--muted); }
main { padding: 2rem; background: var(--surface); border: 1px solid var(--line); border-radius: 0.5rem;
  overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; text-wrap: balance; }
h2 { font-size: 1rem; margin: 1.75rem 0 0.5rem; }
p, ul { margin: 0 0 1rem; }
ul { padding-left: 1.25rem; }
main > :last-child { margin-bottom: 0; }
a { color: var(--accent-text); text-underline-offset: 0.15em; }
code { font-size: 0.9em; }
dl { margin: 0 0 1.5rem; }
dl div { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1.5rem; padding: 0.5rem 0;
  border-bottom: 1px solid var(--line); }
dt { color: var(--muted); }
dd { margin: 0; font-weight: 600; }
.actions { display: flex; flex-wrap: wrap; gap: 0.75rem; margin: 1.5rem 0; }
form { margin: 1.5rem 0; }
button, .button { display: inline-block; min-height: 2.75rem; padding: 0.625rem 1.125rem; border: 1px solid transparent;
  border-radius: 0.375rem; background: var(--accent); color: #fff; font: inherit; font-weight: 600; line-height: 1.375;
  text-align: center; text-decoration: none; cursor: pointer; }
button:hover, .button:hover { background: var(--accent-hover); }
.button.plain { background: transparent; border-color: var(--control); color: var(--text); }
.button.plain:hover { background: var(--hover); }
:focus-visible { outline: 2px solid var(--accent-text); outline-offset: 2px; }
.note { padding: 0.75rem 1rem; border-left: 0.25rem solid var(--warning); background: var(--warning-soft); }
.aside { font-size: 0.875rem; color: var(--muted); }
footer { padding: 1rem 1.25rem 3rem; font-size: 0.8125rem; color: var(--muted); overflow-wrap: anywhere; }
@media (max-width: 30rem) {
  header { padding: 1rem; }
  main { padding: 1.25rem 1rem; border-width: 1px 0; border-radius: 0; }
  button, .button { width: 100%; }
}
`

/** The policy of a page whose only style element is `css`: no scripts, and nothing from elsewhere. */
export function styleOnlyPolicy(css: string): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(css).digest('base64')}'`,
    'img-src data:',
    "base-uri 'none'",
    // 'self': a form can be sent to this service only, even if HTML was injected.
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

const headers = {
  'content-security-policy': styleOnlyPolicy(style),
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  // The page's URL may be a capability.
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const

/** Sends a page with the security headers. The footer shows the request id, for questions to support. */
export function sendPage(reply: FastifyReply, { status, title, body, redirectUrl }: HtmlPage): FastifyReply {
  const document = html`<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>${title} · Storedex</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="robots" content="noindex" />
    <link rel="icon" href="data:," />
    <style>${new Html(style)}</style>
  </head>
  <body>
    <header>Storedex</header>
    <main>
      <h1>${title}</h1>
      ${body}
    </main>
    <footer>Reference for support: ${reply.request.id}</footer>
  </body>
</html>
`
  if (redirectUrl) reply.header('refresh', `0; url=${redirectUrl}`)
  return reply.code(status).headers(headers).type('text/html; charset=utf-8').send(`<!doctype html>\n${document.text}`)
}
