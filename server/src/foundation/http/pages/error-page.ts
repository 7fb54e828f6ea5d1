import type { FastifyRequest } from 'fastify'
import { prefersPage } from './accept.ts'
import { actions, type Html, html, linkButton } from './html.ts'
import type { HtmlPage } from './page.ts'

// Addresses that programs call; their errors are JSON, whatever the request accepts.
const programPaths = /^\/(api|console\/api|webhooks|healthz|readyz)(\/|$)/

/** Whether an error of this request is shown to a person: a browser asked for a page. */
export function expectsErrorPage({ headers, raw }: FastifyRequest): boolean {
  const [path = ''] = (raw.url ?? '').split(/[?#]/, 1)
  return prefersPage(headers.accept) && !programPaths.test(path)
}

/** The page for an error of any path. It says nothing of the cause; the reference in its footer leads to the log. */
export function siteErrorPage(status: number, code: string): HtmlPage {
  return { status, ...contentOf(status, code) }
}

function contentOf(status: number, code: string): Omit<HtmlPage, 'status'> {
  if (code === 'route_not_found')
    return {
      title: 'There is no page here',
      body: html`<p>The address may be mistyped, or the page may have moved.</p>
      ${waysOnward}`,
    }
  if (status === 429 || status === 503)
    return {
      title: 'Please try again in a moment',
      body: html`<p>${status === 429 ? 'There were too many requests at once.' : 'Storedex is busy or restarting.'}
      Nothing was lost: reload this page.</p>`,
    }
  if (status >= 500)
    return {
      title: 'Something went wrong',
      body: html`<p>The error is on our side and has been recorded. If it happens again, tell support the reference
      below.</p>
      ${waysOnward}`,
    }
  return {
    title: 'This does not work here',
    body: html`<p>This address does not understand what the browser sent. Nothing was changed.</p>
      ${waysOnward}`,
  }
}

const waysOnward: Html = actions(linkButton('/', 'Go to the start page'), linkButton('/docs', 'Documentation', 'plain'))
