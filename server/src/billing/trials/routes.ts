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
 * The page at `billing.url`, for people. A link is worth what the key that asked for it is worth now; the key is read
 * again for every visit. Looking at the page, however often and by whatever program, changes nothing; only its form does.
 */
export function registerTrialPage(app: FastifyInstance, ctx: TrialPageContext): void {
  const pace = new TrialPageRateLimiter()
  app.register(async (site) => {
    site.removeAllContentTypeParsers()
    site.addContentTypeParser(
      'application/x-www-form-urlencoded',
      createBodyParser(site, maxFormBytes, (body) => new URLSearchParams(body.toString())),
    )
    // What goes wrong is told to a person, too.
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
        // Relative, so that it also holds below a path that something in front of us takes away.
        return page ? sendPage(reply, page) : reply.redirect(`?token=${visit.token}`, 303)
      })
    })
  })
}

/**
 * Whether a browser sent the form from a page of ours. Since our page tells no referrer, browsers name no origin with its
 * form, so what they say of the site counts first; the form's own token is what proves it.
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
 * Bounds how often the trial page of an account is opened: each time asks the payment provider, whose patience all
 * accounts share. It is counted in this process alone.
 */
class TrialPageRateLimiter {
  readonly #windows = new Map<number, { startedAt: number; used: number }>()

  /** Seconds until the page may be opened again; null when it may be now, and then it counts. */
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

// The scopes of the calls that hand out this link. A key that has lost them could not get it any more.
const asking: readonly Scope[] = ['usage:read', 'contacts:reveal']

/** Reads the key that a link was made for. A key that would be refused elsewhere opens a page that says why it is closed. */
async function readTrialLinkPermissions(
  db: Queryable,
  keyId: number,
  now: Date,
): Promise<TrialLinkPermissions | { closed: Page }> {
  const key = await selectTrialLinkKey(db, keyId)
  const reason = key ? reasonItIsClosed(key, now) : 'does not exist any more'
  if (!key || reason) return { closed: keyRefusedPage(reason!, key?.suspended_at && !key.revoked_at ? 403 : 410) }
  return { accountId: key.account_id, canManageBilling: key.scopes.includes('billing:manage') }
}

function reasonItIsClosed({ scopes, revoked_at, suspended_at, expires_at }: TrialLinkKeyRow, now: Date): string | null {
  if (revoked_at) return 'was revoked'
  if (suspended_at) return 'is suspended'
  if (expires_at && expires_at <= now) return 'has expired'
  return asking.some((scope) => scopes.includes(scope)) ? null : 'may not read usage any more'
}
