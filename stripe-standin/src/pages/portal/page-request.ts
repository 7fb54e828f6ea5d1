import { flowCompletion } from '../../billing/portal/actions.ts'
import { loadPortalView, type PortalView } from '../../billing/portal/view.ts'
import type { PortalFlow, PortalSession } from '../../state/session-records.ts'
import { expiredLinkPage, unknownLinkPage, usedLinkPage } from '../error-pages.ts'
import { externalLinkButton, externalOrigin, type Html, html, safeExternalUrl } from '../html.ts'
import type { HtmlPage } from '../layout.ts'
import type { PageRequest, PageResponse } from '../page-request.ts'

const sessionSeconds = 3_600

/** A request for a portal page with a valid link. */
export interface PortalPageRequest extends PageRequest, PortalView {
  /** Path of the portal's home page. */
  readonly home: string
  /** The integrating service's page to return to. */
  readonly returnUrl: string | null
}

/** Portal pages: one per flow type, and the home page. */
export type PortalPageName = PortalFlow['type'] | 'home'

/** Shows a portal page if the link is valid for it. */
export function showPortalPage(
  pageRequest: PageRequest,
  pageName: PortalPageName,
  show: (portal: PortalPageRequest) => PageResponse,
): PageResponse {
  return handlePortalRequest(pageRequest, pageName, completionPage, show)
}

/** Handles a portal form. A form of a used link is redirected as the first time. */
export function submitPortalForm(
  pageRequest: PageRequest,
  pageName: PortalPageName,
  act: (portal: PortalPageRequest) => PageResponse,
): PageResponse {
  return handlePortalRequest(pageRequest, pageName, redirectAfterCompletion, act)
}

function handlePortalRequest(
  pageRequest: PageRequest,
  pageName: PortalPageName,
  afterUse: (portal: PortalPageRequest) => PageResponse,
  go: (portal: PortalPageRequest) => PageResponse,
): PageResponse {
  const portal = loadPortalRequest(pageRequest)
  if (!portal) return unknownLinkPage()
  const { session, returnUrl } = portal
  if (session.completed_at !== null && flowCompletion(session)) return afterUse(portal)
  const until = session.created + sessionSeconds
  if (pageRequest.ctx.now >= until) return expiredLinkPage(returnUrl, until)
  const flow = pendingFlow(portal)
  return flow && pageName !== flow.type ? { redirect: flowPath(portal, flow) } : go(portal)
}

/** Ends an action: a link made for one flow is completed and redirects, others return to the home page. */
export function completePortalAction(portal: PortalPageRequest, did: PortalAction): PageResponse {
  const { db, now } = portal.ctx
  const session = db.getOrThrow('portal_sessions', portal.session.id)
  if (session.flow && session.completed_at === null) db.update('portal_sessions', session, { completed_at: now })
  return flowCompletion(session) ? redirectAfterCompletion(portal) : { redirect: `${portal.home}?did=${did}` }
}

const actionMessages = {
  card: 'Your card was changed.',
  cancel: 'Your plan is canceled.',
  keep: 'Your plan continues.',
  change: 'Your plan was changed.',
  schedule: 'Your plan will change at the end of the paid period.',
  pay: 'Your invoice was paid.',
  resume: 'Your plan was resumed.',
}

type PortalAction = keyof typeof actionMessages

/** The confirmation shown on the home page after an action. */
export function describePortalAction(did: string | null): string | undefined {
  return did !== null && Object.hasOwn(actionMessages, did) ? actionMessages[did as PortalAction] : undefined
}

/** The origin that portal forms may redirect to, for the Content-Security-Policy. */
export function originAfterCompletion({ session }: PortalPageRequest): string | null {
  return externalOrigin(completionRedirect(session))
}

/** Link to leave the page without an action. */
export function exitLink(portal: PortalPageRequest, label: string): Html | null {
  return pendingFlow(portal)
    ? externalLinkButton(portal.returnUrl, label)
    : html`<a class="button" href="${portal.home}">${label}</a>`
}

/** The subscription in the path; a link made for one subscription gives access to no other. */
export function requestedSubscription(portal: PortalPageRequest) {
  const flow = pendingFlow(portal)
  const bound = flow && 'subscription' in flow ? flow.subscription : undefined
  return portal.subscriptions.find(
    ({ subscription: { id } }) => id === portal.params.subscription && (bound === undefined || id === bound),
  )
}

function loadPortalRequest(pageRequest: PageRequest): PortalPageRequest | null {
  const id = pageRequest.params.id ?? ''
  if (!pageRequest.ctx.db.get('portal_sessions', id)) return null
  const view = loadPortalView(pageRequest.ctx, id)
  if (view.customer.deleted) return null
  const returnUrl = view.session.return_url ?? view.configuration.default_return_url
  return { ...pageRequest, ...view, returnUrl, home: `/pay/portal/${id}` }
}

/** The flow of the link until it is completed. */
function pendingFlow({ session }: PortalPageRequest): PortalFlow | null {
  return session.completed_at === null ? session.flow : null
}

function flowPath(portal: PortalPageRequest, flow: PortalFlow): string {
  switch (flow.type) {
    case 'payment_method_update':
      return `${portal.home}/card`
    case 'subscription_cancel':
      return `${portal.home}/cancel/${flow.subscription}`
    case 'subscription_update':
      return `${portal.home}/plans/${flow.subscription}`
    case 'subscription_update_confirm':
      return `/pay/confirm/${portal.session.id}`
  }
}

function completionRedirect(session: PortalSession): string | null {
  const end = flowCompletion(session)
  return end && 'redirect' in end ? safeExternalUrl(end.redirect) : null
}

function redirectAfterCompletion(portal: PortalPageRequest): PageResponse {
  const address = completionRedirect(portal.session)
  return address ? { redirect: address } : completionPage(portal)
}

function completionPage(portal: PortalPageRequest): HtmlPage {
  const end = flowCompletion(portal.session)
  if (!end || 'redirect' in end) return usedLinkPage(completionRedirect(portal.session) ?? portal.returnUrl)
  return {
    status: 200,
    title: 'All done',
    body: html`<p>${end.message ?? 'Your change was made.'}</p>
<div class="actions">${externalLinkButton(portal.returnUrl, 'Continue')}</div>`,
  }
}
