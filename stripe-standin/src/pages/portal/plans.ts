import { changePlan } from '../../billing/portal/actions.ts'
import type { PortalSubscription } from '../../billing/portal/view.ts'
import { nothingToDo } from '../error-pages.ts'
import { dayOf, money, planName, priceInWords } from '../format.ts'
import { choiceOf } from '../forms.ts'
import { html } from '../html.ts'
import type { Page } from '../layout.ts'
import type { Outcome } from '../page-request.ts'
import { agreeToChange, changeForm, type PlanChange } from './confirm-change.ts'
import { finish, namedSubscription, type PortalVisit, siteAfter, wayOut } from './page-request.ts'

/** The page where a person chooses another plan. */
export function showPlans(portal: PortalVisit): Page {
  const named = namedSubscription(portal)
  if (!named || named.choices.length === 0) return nothingToDo(portal.returnUrl)
  const { quantity } = named.subscription.items[0]!
  return {
    status: 200,
    title: 'Choose another plan',
    notice: portal.notice,
    body: html`<p>Your present plan is ${planName(named)}, ${priceInWords(named.price, quantity)}.</p>
<form method="get" action="${changeAddress(portal, named)}">
${choiceOf(
  'price',
  'New plan',
  named.choices.map((choice) => ({
    value: choice.price.id,
    words: html`${planName(choice)}, ${priceInWords(choice.price, quantity)}`,
    hint:
      choice.preview.when === 'now'
        ? `At once; ${money(choice.preview.amountDue, choice.price.currency)} to be paid now.`
        : html`From ${dayOf(choice.preview.at)}, when the paid period ends.`,
  })),
  portal.form.get('price'),
)}
<div class="actions"><button class="main">Look at this change</button>
${wayOut(portal, 'Go back')}</div>
</form>`,
  }
}

/** The page that confirms the plan that was chosen. */
export function showChange(portal: PortalVisit): Page {
  const change = chosenChange(portal)
  if (!change) return nothingToDo(portal.returnUrl)
  const back = html`<a class="button" href="${portal.home}/plans/${change.subscription.id}?price=${encodeURIComponent(change.to.price.id)}">Go back</a>`
  return {
    status: 200,
    title: 'Confirm your new plan',
    notice: portal.notice,
    redirectsTo: siteAfter(portal),
    body: changeForm(portal, change, back),
  }
}

/** Changes the plan; one that is so already is left alone. */
export function submitChange(portal: PortalVisit): Outcome {
  const change = chosenChange(portal)
  if (!change) return { redirect: portal.home }
  agreeToChange(portal, change)
  changePlan(portal.desk, portal.session.id, { subscription: change.subscription.id, price: change.to.price.id })
  return finish(portal, change.preview.when === 'now' ? 'change' : 'schedule')
}

function chosenChange(portal: PortalVisit): PlanChange | undefined {
  const named = namedSubscription(portal)
  const to = named?.choices.find(({ price }) => price.id === portal.form.get('price'))
  if (!named || !to || to.price.id === named.scheduled?.price.id) return undefined
  const { subscription } = named
  return {
    subscription,
    from: named,
    to,
    quantity: subscription.items[0]!.quantity,
    preview: to.preview,
    onFile: portal.paymentMethod,
    action: changeAddress(portal, named),
  }
}

function changeAddress(portal: PortalVisit, { subscription }: PortalSubscription): string {
  return `${portal.home}/change/${subscription.id}`
}
