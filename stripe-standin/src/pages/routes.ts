import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { StripeError } from '../http/errors.ts'
import type { Standin } from '../standin.ts'
import type { RequestContext } from '../state/database.ts'
import { showCheckout, submitCheckout } from './checkout.ts'
import { badRequestPage, internalErrorPage, unknownLinkPage } from './error-pages.ts'
import { contentSecurityPolicy, type Notice, type Page, renderDocument } from './layout.ts'
import { FormTokens, InvalidFormError, type PageRequest, type PageResponse, StaleFormError } from './page-request.ts'
import { showCancel, submitCancel, submitKeepPlan } from './portal/cancel.ts'
import { showCardForm, submitCard } from './portal/card.ts'
import { showConfirm, submitConfirm } from './portal/confirm-change.ts'
import { showPortalHome, submitInvoicePayment, submitResume } from './portal/home.ts'
import { type PortalPageName, type PortalPageRequest, showPortalPage, submitPortalForm } from './portal/page-request.ts'
import { showPlanChange, showPlans, submitPlanChange } from './portal/plans.ts'

type PageHandler = (visit: PageRequest) => PageResponse

/** Registers the pages for customers, below `/pay`. */
export function registerPageRoutes(app: FastifyInstance, standin: Standin): void {
  app.register(async (pay) => pages(pay, standin), { prefix: '/pay' })
}

function pages(pay: FastifyInstance, standin: Standin): void {
  const tokens = new FormTokens()
  const send = (reply: FastifyReply, outcome: PageResponse) => sendResponse(reply, outcome, standin.nowMs())

  pay.removeAllContentTypeParsers()
  pay.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: 16_384 },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  )
  pay.setNotFoundHandler((_request, reply) => send(reply, unknownLinkPage()))
  pay.setErrorHandler<Error & { statusCode?: number }>((error, request, reply) => {
    const status = error.statusCode ?? 500
    if (status < 500) return send(reply, badRequestPage(status))
    request.log.error(error)
    return send(reply, internalErrorPage())
  })

  const visitOf = (request: FastifyRequest, ctx: RequestContext, notice?: Notice): PageRequest => ({
    ctx,
    tokens,
    params: request.params as Readonly<Record<string, string>>,
    form: request.body instanceof URLSearchParams ? request.body : queryForm(request),
    notice,
  })

  const page = (path: string, show: PageHandler) =>
    pay.get(path, async (request, reply) => send(reply, await standin.read((ctx) => show(visitOf(request, ctx)))))

  /** A form posted to `path`; an error is shown on the page that `show` renders. */
  const form = (path: string, act: PageHandler, show: PageHandler) =>
    pay.post(path, async (request, reply) => {
      try {
        return send(reply, await standin.change((ctx) => act(visitOf(request, ctx))))
      } catch (error) {
        const { status, notice } = formProblem(error)
        const shown = await standin.read((ctx) => show(visitOf(request, ctx, notice)))
        return send(reply, 'redirect' in shown || shown.status !== 200 ? shown : { ...shown, status })
      }
    })

  const portalPage = (path: string, place: PortalPageName, show: (portal: PortalPageRequest) => PageResponse) =>
    page(path, (visit) => showPortalPage(visit, place, show))

  const portalForm = (
    path: string,
    place: PortalPageName,
    act: (portal: PortalPageRequest) => PageResponse,
    show: (portal: PortalPageRequest) => PageResponse,
  ) =>
    form(
      path,
      (visit) => submitPortalForm(visit, place, act),
      (visit) => showPortalPage(visit, place, show),
    )

  page('/checkout/:id', showCheckout)
  form('/checkout/:id', submitCheckout, showCheckout)
  portalPage('/confirm/:id', 'subscription_update_confirm', showConfirm)
  portalForm('/confirm/:id', 'subscription_update_confirm', submitConfirm, showConfirm)
  portalPage('/portal/:id', 'home', showPortalHome)
  portalPage('/portal/:id/card', 'payment_method_update', showCardForm)
  portalForm('/portal/:id/card', 'payment_method_update', submitCard, showCardForm)
  portalPage('/portal/:id/plans/:subscription', 'subscription_update', showPlans)
  portalPage('/portal/:id/change/:subscription', 'subscription_update', showPlanChange)
  portalForm('/portal/:id/change/:subscription', 'subscription_update', submitPlanChange, showPlanChange)
  portalPage('/portal/:id/cancel/:subscription', 'subscription_cancel', showCancel)
  portalForm('/portal/:id/cancel/:subscription', 'subscription_cancel', submitCancel, showCancel)
  portalForm('/portal/:id/keep/:subscription', 'home', submitKeepPlan, showPortalHome)
  portalForm('/portal/:id/resume/:subscription', 'home', submitResume, showPortalHome)
  portalForm('/portal/:id/invoices/:invoice/pay', 'home', submitInvoicePayment, showPortalHome)
}

/** The error to show above the form; unexpected errors are rethrown. */
function formProblem(error: unknown): { status: number; notice: Notice } {
  const bad = (status: number, text: string) => ({ status, notice: { tone: 'bad', text } as const })
  if (error instanceof StaleFormError)
    return bad(
      403,
      'Nothing was done, because the page you sent this from is out of date. This is how things stand now.',
    )
  if (error instanceof InvalidFormError) return bad(400, error.message)
  if (error instanceof StripeError && error.type === 'card_error')
    return bad(402, `${error.message} You can try another one.`)
  if (error instanceof StripeError) return bad(400, error.message)
  throw error
}

function queryForm(request: FastifyRequest): URLSearchParams {
  return new URL(request.url, 'http://standin.example').searchParams
}

function sendResponse(reply: FastifyReply, outcome: Page | { redirect: string }, nowMs: number): FastifyReply {
  reply.headers({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'content-security-policy': contentSecurityPolicy('redirect' in outcome ? null : (outcome.redirectsTo ?? null)),
  })
  if ('redirect' in outcome) return reply.code(303).header('location', outcome.redirect).send()
  return reply
    .code(outcome.status)
    .type('text/html; charset=utf-8')
    .send(renderDocument(outcome, Math.floor(nowMs / 1000)))
}
