import type { FastifyInstance } from 'fastify'
import { pagePaths } from './links/links.ts'
import { html, type Page, sendPage } from './links/pages.ts'

const pages: Record<keyof typeof pagePaths, Omit<Page, 'status'>> = {
  done: {
    title: 'Thank you',
    body: html`<p>
        What you confirmed takes effect as soon as the payment provider has told us, most often within seconds. If you
        confirmed nothing, nothing changes.
      </p>
      <p>
        A program sees the outcome by asking <code>GET /api/v1/billing/status</code> every minute until it tells the
        plan. You can close this page.
      </p>`,
  },
  canceled: {
    title: 'Nothing was bought',
    body: html`<p>
        You left the payment page before confirming. Nothing changes, and nothing is charged. A new link is made by
        <code>POST /api/v1/billing/subscription-link</code>.
      </p>
      <p>You can close this page.</p>`,
  },
  test: {
    title: 'This is test mode',
    body: html`<p>
        This link was made with a test key. Nothing can be bought here, and no plan, card or invoice is behind it. A live
        key makes a link that leads to the payment provider.
      </p>
      <p>You can close this page.</p>`,
  },
}

/** The pages that billing links end on. They hold no data: whoever sees one learns nothing of any account. */
export function registerLinkPages(app: FastifyInstance): void {
  app.register(async (site) => {
    for (const name of Object.keys(pagePaths) as (keyof typeof pagePaths)[])
      site.get(pagePaths[name], { schema: { hide: true } }, (_request, reply) =>
        sendPage(reply, { status: 200, ...pages[name] }),
      )
  })
}
