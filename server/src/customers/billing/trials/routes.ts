import { createBodyParser } from '@storedex/http-front'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Queryable } from '../../../foundation/db/pool.ts'
import { errorHeaders, toRefusal } from '../../../foundation/http/errors.ts'
import { type HtmlPage, sendPage } from '../../../foundation/http/pages/page.ts'
import type { Scope } from '../../auth/caller.ts'
import { type TrialLinks, trialPagePath } from '../../auth/trial-links.ts'
import { ProviderCallLimiter } from '../provider-call-limiter.ts'
import { selectTrialLinkKey, type TrialLinkKeyRow } from '../queries.ts'
import { confirmTrialStep, type TrialOutcome, type TrialRequest, type TrialServices, viewTrial } from './actions.ts'
import { outdatedFormPage, trialPage } from './pages.ts'
import {
  crossSitePage,
  errorPage,
  expiredLinkPage,
  invalidLinkPage,
  keyRefusedPage,
  redirectPage,
} from './refusal-pages.ts'
import type { TrialPermissions } from './state.ts'

const maxFormBytes = 2_000

interface TrialPageContext extends TrialServices {
  trialLinks: TrialLinks
  /** Whether the console is served, to which the page then leads. */
  hasConsole: boolean
}

/**
 * The page at `billing.url`. A link may do what its API key may do now; the key is read again for every request. GET
 * changes nothing, so link scanners and prefetching are harmless; only the form changes something.
 */
export function registerTrialPage(app: FastifyInstance, ctx: TrialPageContext): void {
  const { hasConsole } = ctx
  const limiter = new ProviderCallLimiter()
  app.register(async (site) => {
    site.removeAllContentTypeParsers()
    site.addContentTypeParser(
      'application/x-www-form-urlencoded',
      createBodyParser(site, maxFormBytes, (body) => new URLSearchParams(body.toString())),
    )
    // Errors are HTML pages, too.
    site.setErrorHandler((error, request, reply) => {
      const refusal = toRefusal(error)
      request.record.failure = refusal
      return sendPage(reply.removeHeader('connection').headers(errorHeaders(refusal)), errorPage(refusal))
    })

    const withTrialLink = async (
      request: FastifyRequest,
      reply: FastifyReply,
      serve: (requestContext: TrialServices, trialRequest: TrialRequest) => Promise<FastifyReply>,
    ) => {
      const requestContext = { ...ctx, db: request.db }
      const { token } = request.query as { token?: unknown }
      const link = typeof token === 'string' ? ctx.trialLinks.open(token, request.now) : 'unknown'
      if (link === 'unknown') return sendPage(reply, invalidLinkPage(hasConsole))
      if (link === 'expired') return sendPage(reply, expiredLinkPage(hasConsole))
      const permissions = await readTrialLinkPermissions(requestContext.db, link.keyId, request.now)
      if ('reason' in permissions)
        return sendPage(reply, keyRefusedPage(permissions.reason, permissions.status, hasConsole))
      limiter.count(permissions.accountId, request.now)
      const subject = token as string
      // The provider's pages return to the same link, with the same expiry.
      const returnUrl = ctx.trialLinks.urlOf(subject)
      const actor = { kind: 'visitor', address: request.ip } as const
      return serve(requestContext, { permissions, subject, returnUrl, actor, now: request.now })
    }

    site.route({
      method: ['GET', 'HEAD'],
      url: trialPagePath,
      schema: { hide: true },
      handler: (request, reply) =>
        withTrialLink(request, reply, async (requestContext, trialRequest) => {
          const view = await viewTrial(requestContext, trialRequest)
          return sendPage(reply, trialPage({ ...view, hasConsole }))
        }),
    })

    site.post(trialPagePath, { schema: { hide: true } }, (request, reply) => {
      if (!isSameSite(request, ctx.publicUrl)) return sendPage(reply, crossSitePage)
      return withTrialLink(request, reply, async (requestContext, trialRequest) => {
        const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
        const confirmation = form.get('confirmation') ?? ''
        const page = outcomePage(await confirmTrialStep(requestContext, trialRequest, confirmation), hasConsole)
        // Relative, so that it also works behind a proxy that strips a path prefix.
        return page ? sendPage(reply, page) : reply.redirect(`?token=${trialRequest.subject}`, 303)
      })
    })
  })
}

/** Null if reloading the trial page shows the outcome. */
function outcomePage(outcome: TrialOutcome, hasConsole: boolean): HtmlPage | null {
  if (outcome.kind === 'link') return redirectPage(outcome.link.url)
  return outcome.kind === 'outdated' ? outdatedFormPage({ ...outcome.view, hasConsole }) : null
}

/**
 * Whether a browser sent the form from this site. Because of `no-referrer` browsers send `Origin: null` with our own form,
 * so `Sec-Fetch-Site` decides first. The signed confirmation is the actual protection.
 */
function isSameSite({ headers }: FastifyRequest, publicUrl: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const { origin, host } = headers
  if (origin === undefined || origin === 'null') return true
  return URL.canParse(origin) && [host, new URL(publicUrl).host].includes(new URL(origin).host)
}

// The scopes of the operations that return this link. A key that lost them must not use it any more.
const linkScopes: readonly Scope[] = ['usage:read', 'contacts:reveal']

/** Reads the key that a link was created with; for a key that is no longer accepted, returns why. */
async function readTrialLinkPermissions(
  db: Queryable,
  keyId: number,
  now: Date,
): Promise<TrialPermissions | { reason: string; status: 403 | 410 }> {
  const key = await selectTrialLinkKey(db, keyId)
  const reason = key ? refusalReason(key, now) : 'no longer exists'
  if (!key || reason) return { reason: reason!, status: key?.suspended_at && !key.revoked_at ? 403 : 410 }
  return { accountId: key.account_id, canManageBilling: key.scopes.includes('billing:manage') }
}

function refusalReason({ scopes, revoked_at, suspended_at, expires_at }: TrialLinkKeyRow, now: Date): string | null {
  if (revoked_at) return 'was revoked'
  if (suspended_at) return 'is suspended'
  if (expires_at && expires_at <= now) return 'has expired'
  return linkScopes.some((scope) => scopes.includes(scope)) ? null : 'may no longer read usage'
}
