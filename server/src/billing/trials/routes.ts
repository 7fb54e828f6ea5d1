import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readWhole } from '../../http/bodies.ts'
import { errorHeaders, refusalOf } from '../../http/errors.ts'
import { ApiError } from '../../kernel/errors.ts'
import { trialPagePath } from '../../usage/trial-links.ts'
import { sendPage } from '../links/pages.ts'
import { readTrialPowers } from '../trial-key.ts'
import { TrialPace } from '../trial-pace.ts'
import { confirmTrial, showTrial, type TrialPageContext, type TrialVisit } from './confirm.ts'
import { expiredPage, failurePage, foreignPage, unknownPage } from './page.ts'

const maxFormBytes = 2_000

/**
 * The page at `billing.url`, for people. A link is worth what the key that asked for it is worth now; the key is read
 * again for every visit. Looking at the page, however often and by whatever program, changes nothing; only its form does.
 */
export function registerTrialPage(app: FastifyInstance, ctx: TrialPageContext): void {
  const pace = new TrialPace()
  app.register(async (site) => {
    site.removeAllContentTypeParsers()
    site.addContentTypeParser(
      'application/x-www-form-urlencoded',
      readWhole(site, maxFormBytes, (body) => new URLSearchParams(body.toString())),
    )
    // What goes wrong is told to a person, too.
    site.setErrorHandler((error, request, reply) => {
      const refusal = refusalOf(error)
      request.record.failure = refusal
      return sendPage(reply.removeHeader('connection').headers(errorHeaders(refusal)), failurePage(refusal))
    })

    const withVisit = async (
      request: FastifyRequest,
      reply: FastifyReply,
      serve: (asked: TrialPageContext, visit: TrialVisit) => Promise<FastifyReply>,
    ) => {
      const asked = { ...ctx, db: request.db }
      const { token } = request.query as { token?: unknown }
      const opened = typeof token === 'string' ? ctx.trialLinks.open(token, request.now) : 'unknown'
      if (opened === 'unknown') return sendPage(reply, unknownPage)
      if (opened === 'expired') return sendPage(reply, expiredPage)
      const powers = await readTrialPowers(asked.db, opened.keyId, request.now)
      if ('closed' in powers) return sendPage(reply, powers.closed)
      const retryAfterSeconds = pace.take(powers.accountId, request.now)
      if (retryAfterSeconds !== null)
        throw new ApiError('rate_limit_exceeded', 'The trial page was opened too often.', { retryAfterSeconds })
      return serve(asked, { powers, token: token as string, now: request.now })
    }

    site.route({
      method: ['GET', 'HEAD'],
      url: trialPagePath,
      schema: { hide: true },
      handler: (request, reply) =>
        withVisit(request, reply, async (asked, visit) => sendPage(reply, await showTrial(asked, visit))),
    })

    site.post(trialPagePath, { schema: { hide: true } }, (request, reply) => {
      if (!isFromOurPage(request, ctx.publicUrl)) return sendPage(reply, foreignPage)
      return withVisit(request, reply, async (asked, visit) => {
        const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
        const page = await confirmTrial(asked, visit, form.get('confirmation') ?? '')
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
