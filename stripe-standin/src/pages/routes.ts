import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Standin } from '../standin.ts'
import type { RequestContext } from '../state/database.ts'
import { StripeError } from '../state/errors.ts'
import { showCheckout, submitCheckout } from './checkout.ts'
import { badRequestPage, internalErrorPage, startPage, unknownLinkPage } from './error-pages.ts'
import { contentSecurityPolicy, type Notice, renderDocument } from './layout.ts'
import { FormTokens, InvalidFormError, type PageRequest, type PageResponse, StaleFormError } from './page-request.ts'
import { showCancel, submitCancel, submitKeepPlan } from './portal/cancel.ts'
import { showCardForm, submitCard } from './portal/card.ts'
import { showConfirm, submitConfirm } from './portal/confirm-change.ts'
import { showPortalHome, submitInvoicePayment, submitResume } from './portal/home.ts'
import { type PortalPageName, type PortalPageRequest, showPortalPage, submitPortalForm } from './portal/page-request.ts'
import { showPlanChange, showPlans, submitPlanChange } from './portal/plans.ts'

type PageHandler = (pageRequest: PageRequest) => PageResponse

/** Registers the pages for customers, below `/pay`, and a page for who opens the address of the stand-in itself. */
export function registerPageRoutes(app: FastifyInstance, standin: Standin): void {
  app.get('/', (_request, reply) => sendResponse(reply, startPage(), standin.nowMs()))
  app.register(async (pay) => definePages(pay, standin), { prefix: '/pay' })
}

/** The page for an unknown path in a browser. */
export function sendUnknownPage(reply: FastifyReply, standin: Standin): FastifyReply {
  return sendResponse(reply, unknownLinkPage(), standin.nowMs())
}

function definePages(pay: FastifyInstance, standin: Standin): void {
  const tokens = new FormTokens()
  const send = (reply: FastifyReply, response: PageResponse) => sendResponse(reply, response, standin.nowMs())

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

  const toPageRequest = (request: FastifyRequest, ctx: RequestContext, notice?: Notice): PageRequest => ({
    ctx,
    tokens,
    params: request.params as Readonly<Record<string, string>>,
    form: request.body instanceof URLSearchParams ? request.body : queryForm(request),
    notice,
  })

  const page = (path: string, show: PageHandler) =>
    pay.get(path, async (request, reply) => send(reply, await standin.read((ctx) => show(toPageRequest(request, ctx)))))

  /** A form posted to `path`; an error is shown on the page that `show` renders. */
  const form = (path: string, act: PageHandler, show: PageHandler) =>
    pay.post(path, async (request, reply) => {
      try {
        return send(reply, await standin.change((ctx) => act(toPageRequest(request, ctx))))
      } catch (error) {
        const { status, notice } = formProblem(error)
        const shown = await standin.read((ctx) => show(toPageRequest(request, ctx, notice)))
        return send(reply, 'redirect' in shown || shown.status !== 200 ? shown : { ...shown, status })
      }
    })

  const portalPage = (path: string, pageName: PortalPageName, show: (portal: PortalPageRequest) => PageResponse) =>
    page(path, (pageRequest) => showPortalPage(pageRequest, pageName, show))

  const portalForm = (
    path: string,
    pageName: PortalPageName,
    act: (portal: PortalPageRequest) => PageResponse,
    show: (portal: PortalPageRequest) => PageResponse,
  ) =>
    form(
      path,
      (pageRequest) => submitPortalForm(pageRequest, pageName, act),
      (pageRequest) => showPortalPage(pageRequest, pageName, show),
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
  const failure = (status: number, text: string) => ({ status, notice: { tone: 'bad', text } as const })
  if (error instanceof StaleFormError)
    return failure(
      403,
      'Nothing was changed, because the page you submitted was out of date. This page shows the current state.',
    )
  if (error instanceof InvalidFormError) return failure(400, error.message)
  if (error instanceof StripeError && error.type === 'card_error')
    return failure(402, `${error.message} You can try another one.`)
  if (error instanceof StripeError) return failure(400, error.message)
  throw error
}

function queryForm(request: FastifyRequest): URLSearchParams {
  return new URL(request.url, 'http://standin.example').searchParams
}

function sendResponse(reply: FastifyReply, response: PageResponse, nowMs: number): FastifyReply {
  reply.headers({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'content-security-policy': contentSecurityPolicy('redirect' in response ? null : (response.redirectsTo ?? null)),
  })
  if ('redirect' in response) return reply.code(303).header('location', response.redirect).send()
  return reply
    .code(response.status)
    .type('text/html; charset=utf-8')
    .send(renderDocument(response, Math.floor(nowMs / 1000)))
}
