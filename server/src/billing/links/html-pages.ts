import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { billingPagePaths } from '../context.ts'

/** Trusted HTML; every other value is escaped when inserted into a page. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type HtmlPart = Html | string | readonly Html[] | null | false

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

/** A page without scripts. */
export interface HtmlPage {
  status: number
  title: string
  body: Html
  /** The browser continues to this URL at once. */
  redirectUrl?: string
}

// Every color pair has a contrast of at least 4.5.
const style = `
:root { color-scheme: light dark; font: 1.0625rem/1.6 system-ui, sans-serif; }
* { box-sizing: border-box; }
body { margin: 0; background: light-dark(#fff, #16181d); color: light-dark(#1b2433, #e8eaee); }
main { max-width: 36rem; margin: 10vh auto 3rem; padding: 0 1.25rem; overflow-wrap: anywhere; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 1.25rem; text-wrap: balance; }
code { font-size: 0.9em; }
dl { margin: 0 0 1.5rem; }
dl div { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1.5rem; padding: 0.5rem 0;
  border-bottom: 1px solid light-dark(#d5dae2, #3a3f4a); }
dt { color: light-dark(#505a6b, #a9b1bf); }
dd { margin: 0; font-weight: 600; }
button, .button { display: inline-block; min-height: 2.75rem; padding: 0.625rem 1.25rem; border: 0; border-radius: 0.5rem;
  background: #1a4fb4; color: #fff; font: inherit; font-weight: 600; text-decoration: none; cursor: pointer; }
button:hover, .button:hover { background: #143d8d; }
:focus-visible { outline: 3px solid #d2650a; outline-offset: 2px; }
.note { padding: 0.75rem 1rem; border-left: 0.375rem solid #b3261e; background: light-dark(#fdecea, #3b1d1b); }
footer { margin-top: 2.5rem; font-size: 0.875rem; color: light-dark(#505a6b, #a9b1bf); }
@media (max-width: 26rem) { button, .button { width: 100%; text-align: center; } }
`

const headers = {
  // 'self': a form can be sent to this service only, even if HTML was injected.
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
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
    <main>
      <h1>${title}</h1>
      ${body}
      <footer>Reference: ${reply.request.id}</footer>
    </main>
  </body>
</html>
`
  if (redirectUrl) reply.header('refresh', `0; url=${redirectUrl}`)
  return reply.code(status).headers(headers).type('text/html; charset=utf-8').send(`<!doctype html>\n${document.text}`)
}

const pages: Record<keyof typeof billingPagePaths, Omit<HtmlPage, 'status'>> = {
  done: {
    title: 'Thank you',
    body: html`<p>
        Your change takes effect as soon as the payment provider notifies us, usually within seconds. If you did not
        confirm anything, nothing changes.
      </p>
      <p>
        A program sees the outcome by calling <code>GET /api/v1/billing/status</code> every minute until it shows the
        new plan. You can close this page.
      </p>`,
  },
  canceled: {
    title: 'Nothing was bought',
    body: html`<p>
        You left the payment page before confirming. Nothing changes, and nothing is charged. To get a new link, call
        <code>POST /api/v1/billing/subscription-link</code>.
      </p>
      <p>You can close this page.</p>`,
  },
  test: {
    title: 'This is test mode',
    body: html`<p>
        This link was created with a test key. Nothing can be bought here, and there is no plan, card or invoice. With a
        live key the link leads to the payment provider.
      </p>
      <p>You can close this page.</p>`,
  },
}

/** The pages at `billingPagePaths`. They are static and show nothing of an account. */
export function registerLinkPages(app: FastifyInstance): void {
  app.register(async (site) => {
    for (const name of Object.keys(billingPagePaths) as (keyof typeof billingPagePaths)[])
      site.get(billingPagePaths[name], { schema: { hide: true } }, (_request, reply) =>
        sendPage(reply, { status: 200, ...pages[name] }),
      )
  })
}
