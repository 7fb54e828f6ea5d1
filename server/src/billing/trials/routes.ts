import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Scope } from '../../auth/caller.ts'
import type { Queryable } from '../../db/pool.ts'
import { createBodyParser } from '../../http/bodies.ts'
import { errorHeaders, toApiError } from '../../http/errors.ts'
import { ApiError } from '../../kernel/errors.ts'
import { clockToleranceMs } from '../../kernel/time.ts'
import { trialPagePath } from '../../usage/trial-links.ts'
import { type Page, sendPage } from '../links/html-pages.ts'
import { selectTrialLinkKey, type TrialLinkKeyRow } from '../queries.ts'
import { confirmTrialForm, showTrialPage, type TrialPageContext, type TrialPageRequest } from './actions.ts'
import { crossSitePage, errorPage, expiredLinkPage, invalidLinkPage, keyRefusedPage } from './pages.ts'
import type { TrialLinkPermissions } from './state.ts'

const maxFormBytes = 2_000

/**
 * The page at `billing.url`. A link may do what its API key may do now; the key is read again for every request. GET
 * changes nothing, so link scanners and prefetching are harmless; only the form changes something.
 */
export function registerTrialPage(app: FastifyInstance, ctx: TrialPageContext): void {
  const pace = new TrialPageRateLimiter()
  app.register(async (site) => {
    site.removeAllContentTypeParsers()
    site.addContentTypeParser(
      'application/x-www-form-urlencoded',
      createBodyParser(site, maxFormBytes, (body) => new URLSearchParams(body.toString())),
    )
    // Errors are HTML pages, too.
    site.setErrorHandler((error, request, reply) => {
      const refusal = toApiError(error)
      request.record.failure = refusal
      return sendPage(reply.removeHeader('connection').headers(errorHeaders(refusal)), errorPage(refusal))
    })

    const withVisit = async (
      request: FastifyRequest,
      reply: FastifyReply,
      serve: (asked: TrialPageContext, visit: TrialPageRequest) => Promise<FastifyReply>,
    ) => {
      const asked = { ...ctx, db: request.db }
      const { token } = request.query as { token?: unknown }
      const opened = typeof token === 'string' ? ctx.trialLinks.open(token, request.now) : 'unknown'
      if (opened === 'unknown') return sendPage(reply, invalidLinkPage)
      if (opened === 'expired') return sendPage(reply, expiredLinkPage)
      const permissions = await readTrialLinkPermissions(asked.db, opened.keyId, request.now)
      if ('closed' in permissions) return sendPage(reply, permissions.closed)
      const retryAfterSeconds = pace.take(permissions.accountId, request.now)
      if (retryAfterSeconds !== null)
        throw new ApiError('rate_limit_exceeded', 'The trial page was opened too often.', { retryAfterSeconds })
      return serve(asked, { permissions, token: token as string, now: request.now })
    }

    site.route({
      method: ['GET', 'HEAD'],
      url: trialPagePath,
      schema: { hide: true },
      handler: (request, reply) =>
        withVisit(request, reply, async (asked, visit) => sendPage(reply, await showTrialPage(asked, visit))),
    })

    site.post(trialPagePath, { schema: { hide: true } }, (request, reply) => {
      if (!isFromOurPage(request, ctx.publicUrl)) return sendPage(reply, crossSitePage)
      return withVisit(request, reply, async (asked, visit) => {
        const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
        const page = await confirmTrialForm(asked, visit, form.get('confirmation') ?? '')
        // Relative, so that it also works behind a proxy that strips a path prefix.
        return page ? sendPage(reply, page) : reply.redirect(`?token=${visit.token}`, 303)
      })
    })
  })
}

/**
 * Whether a browser sent the form from this site. Because of `no-referrer` browsers send `Origin: null` with our own form,
 * so `Sec-Fetch-Site` decides first. The signed confirmation is the actual protection.
 */
function isFromOurPage({ headers }: FastifyRequest, publicUrl: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const { origin, host } = headers
  if (origin === undefined || origin === 'null') return true
  return URL.canParse(origin) && [host, new URL(publicUrl).host].includes(new URL(origin).host)
}

const windowMs = 60_000
const limit = 30
const maxRemembered = 10_000

/**
 * Limits how often an account's trial page is opened: each time calls the payment provider, whose rate limit all accounts
 * share. Counts in this process only.
 */
class TrialPageRateLimiter {
  readonly #windows = new Map<number, { startedAt: number; used: number }>()

  /** Counts one request and returns null, or returns the seconds until the next one is allowed. */
  take(accountId: number, now: Date): number | null {
    const nowMs = now.getTime()
    const known = this.#windows.get(accountId)
    const ageMs = known ? nowMs - known.startedAt : Number.POSITIVE_INFINITY
    const window = known && ageMs < windowMs && ageMs >= -clockToleranceMs ? known : { startedAt: nowMs, used: 0 }
    if (window.used >= limit) return Math.ceil((window.startedAt + windowMs - nowMs) / 1000)
    if (this.#windows.size >= maxRemembered) this.#windows.clear()
    this.#windows.set(accountId, { ...window, used: window.used + 1 })
    return null
  }
}

// The scopes of the operations that return this link. A key that lost them must not use it any more.
const asking: readonly Scope[] = ['usage:read', 'contacts:reveal']

/** Reads the key that a link was created with; for a key that is no longer accepted, returns the page that says why. */
async function readTrialLinkPermissions(
  db: Queryable,
  keyId: number,
  now: Date,
): Promise<TrialLinkPermissions | { closed: Page }> {
  const key = await selectTrialLinkKey(db, keyId)
  const reason = key ? reasonItIsClosed(key, now) : 'no longer exists'
  if (!key || reason) return { closed: keyRefusedPage(reason!, key?.suspended_at && !key.revoked_at ? 403 : 410) }
  return { accountId: key.account_id, canManageBilling: key.scopes.includes('billing:manage') }
}

function reasonItIsClosed({ scopes, revoked_at, suspended_at, expires_at }: TrialLinkKeyRow, now: Date): string | null {
  if (revoked_at) return 'was revoked'
  if (suspended_at) return 'is suspended'
  if (expires_at && expires_at <= now) return 'has expired'
  return asking.some((scope) => scopes.includes(scope)) ? null : 'may no longer read usage'
}
