import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { pagePaths } from './links.ts'

interface Page {
  title: string
  paragraphs: readonly string[]
}

const whatNow = `A program sees the outcome by asking <code>GET /api/v1/billing/status</code> every few seconds, until it
tells the plan.`

const pages: Record<keyof typeof pagePaths, Page> = {
  done: {
    title: 'Thank you',
    paragraphs: [
      'What you confirmed takes effect as soon as the payment provider has told us, most often within seconds. If you confirmed nothing, nothing changes.',
      whatNow,
      'You can close this page.',
    ],
  },
  canceled: {
    title: 'Nothing was bought',
    paragraphs: [
      'You left the payment page before confirming. Nothing changes, and nothing is charged.',
      'A new link is there for the asking: <code>POST /api/v1/billing/subscription-link</code>.',
      'You can close this page.',
    ],
  },
  test: {
    title: 'This is test mode',
    paragraphs: [
      'This link was made with a test key. Nothing can be bought here, and no plan, card or invoice is behind it.',
      'A live key makes a link that leads to the payment provider.',
      'You can close this page.',
    ],
  },
}

const style = `
:root { color-scheme: light dark; font: 1.0625rem/1.6 system-ui, sans-serif; }
main { max-width: 34rem; margin: 15vh auto 0; padding: 0 1.25rem; }
h1 { font-size: 1.75rem; line-height: 1.2; }
code { font-size: 0.9em; overflow-wrap: anywhere; }
`

const render = ({ title, paragraphs }: Page) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>${title} · Storedex</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="robots" content="noindex" />
    <link rel="icon" href="data:," />
    <style>${style}</style>
  </head>
  <body>
    <main>
      <h1>${title}</h1>
      ${paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('\n      ')}
    </main>
  </body>
</html>
`

const headers = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  // The address that led here may be a capability.
  'referrer-policy': 'no-referrer',
}

/** The pages that billing links end on. They hold no data: whoever sees one learns nothing of any account. */
export function registerLinkPages(app: FastifyInstance): void {
  app.register(async (site) => {
    for (const [name, path] of Object.entries(pagePaths)) {
      const html = render(pages[name as keyof typeof pagePaths])
      site.get(path, { schema: { hide: true } }, (_request, reply) =>
        reply.type('text/html; charset=utf-8').headers(headers).send(html),
      )
    }
  })
}
