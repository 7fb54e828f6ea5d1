import { confirmUpdate } from '../../billing/portal/actions.ts'
import { viewConfirm } from '../../billing/portal/view.ts'
import { nothingToDo } from '../error-pages.ts'
import type { Page } from '../layout.ts'
import type { Outcome } from '../page-request.ts'
import { agreeToChange, changeForm, type PlanChange } from './confirm-change.ts'
import { finish, type PortalVisit, siteAfter, wayOut } from './page-request.ts'

/** The page that confirms the one change that a link was made for. */
export function showConfirm(portal: PortalVisit): Outcome {
  if (!isForConfirming(portal)) return { redirect: portal.home }
  const change = changeToConfirm(portal)
  return change ? pageOf(portal, change) : nothingToDo(portal.returnUrl)
}

/** Does that change. */
export function submitConfirm(portal: PortalVisit): Outcome {
  if (!isForConfirming(portal)) return { redirect: portal.home }
  const change = changeToConfirm(portal)
  if (!change) return nothingToDo(portal.returnUrl)
  agreeToChange(portal, change)
  confirmUpdate(portal.desk, portal.session.id)
  return finish(portal, change.preview.when === 'now' ? 'change' : 'schedule')
}

/** False for another link's id, and once the change is done and the link has become one to the portal. */
function isForConfirming({ session }: PortalVisit): boolean {
  return session.flow?.type === 'subscription_update_confirm' && session.completed_at === null
}

function pageOf(portal: PortalVisit, change: PlanChange): Page {
  return {
    status: 200,
    title: 'Confirm your new plan',
    notice: portal.notice,
    redirectsTo: siteAfter(portal),
    body: changeForm(portal, change, wayOut(portal, 'Go back')),
  }
}

function changeToConfirm(portal: PortalVisit): PlanChange | null {
  const view = viewConfirm(portal.desk, portal.session.id)
  const { flow } = view.session
  if (!view.preview || flow?.type !== 'subscription_update_confirm') return null
  return {
    subscription: view.subscription,
    from: view.from,
    to: view.to,
    quantity: flow.quantity,
    preview: view.preview,
    onFile: view.paymentMethod,
    action: `/pay/confirm/${view.session.id}`,
  }
}
