import { endOfFlow } from '../../billing/portal/actions.ts'
import { type PortalView, viewPortal } from '../../billing/portal/view.ts'
import type { PortalFlow, PortalSession } from '../../state/session-records.ts'
import { expiredLink, unknownLink, usedLink } from '../error-pages.ts'
import { type Html, html, outsideUrl, siteOf, wayBack } from '../html.ts'
import type { Page } from '../layout.ts'
import type { Outcome, Visit } from '../page-request.ts'

const sessionSeconds = 3_600

/** A visit to the portal whose link is good. */
export interface PortalVisit extends Visit, PortalView {
  /** Address of the portal's first page. */
  readonly home: string
  /** Where the service that made the link wants the person back. */
  readonly returnUrl: string | null
}

/** The pages of the portal: each is for one thing, as links can be, but for the first one. */
export type PortalPlace = PortalFlow['type'] | 'home'

/** Shows a page of the portal when the link is good for it. */
export function lookAtPortal(visit: Visit, place: PortalPlace, show: (portal: PortalVisit) => Outcome): Outcome {
  return enter(visit, place, finishedPage, show)
}

/** Does what a form of the portal asks. Whoever sends the form of a used link again is led on, as the first time. */
export function actInPortal(visit: Visit, place: PortalPlace, act: (portal: PortalVisit) => Outcome): Outcome {
  return enter(visit, place, leadOn, act)
}

function enter(
  visit: Visit,
  place: PortalPlace,
  afterUse: (portal: PortalVisit) => Outcome,
  go: (portal: PortalVisit) => Outcome,
): Outcome {
  const portal = openPortal(visit)
  if (!portal) return unknownLink()
  const { session, returnUrl } = portal
  if (session.completed_at !== null && endOfFlow(session)) return afterUse(portal)
  if (visit.desk.now >= session.created + sessionSeconds) return expiredLink(returnUrl)
  const flow = waitingFlow(portal)
  return flow && place !== flow.type ? { redirect: addressOfFlow(portal, flow) } : go(portal)
}

/** Ends what a form did: a link made for one thing is used up and leads on, others lead to the first page. */
export function finish(portal: PortalVisit, did: Deed): Outcome {
  const { book, now } = portal.desk
  const session = book.must('portal_sessions', portal.session.id)
  if (session.flow && session.completed_at === null) book.amend('portal_sessions', session, { completed_at: now })
  return endOfFlow(session) ? leadOn(portal) : { redirect: `${portal.home}?did=${did}` }
}

const deeds = {
  card: 'Your card was changed.',
  cancel: 'Your plan is canceled.',
  keep: 'Your plan goes on.',
  change: 'Your plan was changed.',
  schedule: 'Your plan will change at the end of the paid period.',
  pay: 'Your invoice was paid.',
  resume: 'Your plan was taken up again.',
}

export type Deed = keyof typeof deeds

/** What the first page says of the deed that led to it. */
export function deedInWords(did: string | null): string | undefined {
  return did !== null && Object.hasOwn(deeds, did) ? deeds[did as Deed] : undefined
}

/** Where forms of the portal may lead in the end, for the browser's check. */
export function siteAfter({ session }: PortalVisit): string | null {
  return siteOf(redirectOf(session))
}

/** The way out without doing anything. */
export function wayOut(portal: PortalVisit, words: string): Html | null {
  return waitingFlow(portal)
    ? wayBack(portal.returnUrl, words)
    : html`<a class="button" href="${portal.home}">${words}</a>`
}

/** A live subscription of the customer's; a link that was made for one opens no other. */
export function namedSubscription(portal: PortalVisit) {
  const flow = waitingFlow(portal)
  const bound = flow && 'subscription' in flow ? flow.subscription : undefined
  return portal.subscriptions.find(
    ({ subscription: { id } }) => id === portal.params.subscription && (bound === undefined || id === bound),
  )
}

function openPortal(visit: Visit): PortalVisit | null {
  const id = visit.params.id ?? ''
  if (!visit.desk.book.get('portal_sessions', id)) return null
  const view = viewPortal(visit.desk, id)
  if (view.customer.deleted) return null
  const returnUrl = view.session.return_url ?? view.configuration.default_return_url
  return { ...visit, ...view, returnUrl, home: `/pay/portal/${id}` }
}

/** What the link was made for, as long as it was not done. */
function waitingFlow({ session }: PortalVisit): PortalFlow | null {
  return session.completed_at === null ? session.flow : null
}

function addressOfFlow(portal: PortalVisit, flow: PortalFlow): string {
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

function redirectOf(session: PortalSession): string | null {
  const end = endOfFlow(session)
  return end && 'redirect' in end ? outsideUrl(end.redirect) : null
}

function leadOn(portal: PortalVisit): Outcome {
  const address = redirectOf(portal.session)
  return address ? { redirect: address } : finishedPage(portal)
}

function finishedPage(portal: PortalVisit): Page {
  const end = endOfFlow(portal.session)
  if (!end || 'redirect' in end) return usedLink(redirectOf(portal.session) ?? portal.returnUrl)
  return {
    status: 200,
    title: 'All done',
    body: html`<p>${end.message ?? 'What you confirmed is done.'}</p>
<div class="actions">${wayBack(portal.returnUrl, 'Go on')}</div>`,
  }
}
