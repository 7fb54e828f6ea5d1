import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useIsAtLeast } from '#api/account.tsx'
import { useReload } from '#api/query.ts'
import { formatNumber } from '#lib/format.ts'
import { Button } from '#ui/actions/button.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { FormError } from '#ui/fields/field.tsx'
import { type Billing, createLink, type Plan, useLink } from './api.ts'
import { ChangePlan } from './change-plan.tsx'
import { EndTrialDialog } from './end-trial-dialog.tsx'
import { ownersText } from './labels.ts'
import { PlanChoice } from './plan-choice.tsx'
import { PlanSummary } from './plan-summary.tsx'
import { expectationOf, isAwaiting, type Return, ReturnNotice } from './return-notice.tsx'
import { type BillingInterval, type PaidPlan, paidPlans } from './search.ts'
import { useAwaitedPlan } from './use-awaited-plan.ts'

interface BillingOverviewProps {
  account: string
  billing: Billing
  plans: readonly Plan[]
}

export function BillingOverview({ account, billing, plans }: BillingOverviewProps) {
  const search = useSearch({ from: '/app/billing' })
  const navigate = useNavigate()
  const isOwner = useIsAtLeast('owner')
  const reload = useReload('readBilling', 'listPlans', 'getSession')
  const portal = useLink()
  const change = useLink()
  const [trip] = useState<Return>({ search, hadAccess: billing.api_access.enabled })
  const [isEndingTrial, setIsEndingTrial] = useState(search.returned === 'trial' && isOwner)
  const [startedPlan, setStartedPlan] = useState<string>()

  const chosen = chosenOffer(search.plan, search.billing, billing)
  const plan = plans.find(({ slug }) => slug === chosen.plan)
  const nameOf = (slug: string | undefined) => plans.find((each) => each.slug === slug)?.name
  const forgetTrip = () => void navigate({ to: '/billing', replace: true, search: {} })
  const { state, startAgain } = useAwaitedPlan({
    account,
    isExpected: expectationOf(trip),
    onArrived: () => {
      forgetTrip()
      void reload()
    },
  })
  useOnPlanChange(billing, reload)
  const needsPayment = billing.next.kind === 'past_due'

  return (
    <>
      {startedPlan ? (
        <div className="mb-4">
          <Banner isAnnounced>The trial is over. Your plan is now {startedPlan}.</Banner>
        </div>
      ) : (
        <ReturnNotice trip={trip} state={state} billing={billing} onCheckAgain={startAgain} />
      )}
      <PlanSummary
        billing={billing}
        formerName={nameOf(billing.former?.plan)}
        action={
          billing.actions.can_manage_billing && (
            <Button
              variant={needsPayment ? 'primary' : 'secondary'}
              isPending={portal.isOpening}
              disabledReason={isOwner ? undefined : `Only ${ownersText(billing.owners)} can do that.`}
              onPress={() => portal.open(() => createLink(account))}
            >
              Manage billing
            </Button>
          )
        }
      />
      <FormError>{portal.problem}</FormError>
      {billing.plan.trial.active && (
        <TrialSection billing={billing} isOwner={isOwner} onEndTrial={() => setIsEndingTrial(true)} />
      )}
      {/* Nothing is sold to a suspended or closed account. */}
      {billing.closed === null && (
        <section aria-labelledby="plans-heading" className="mt-6">
          <h2 id="plans-heading" className="mb-2 font-semibold">
            Plans
          </h2>
          <PlanChoice
            billing={billing}
            plans={plans}
            plan={chosen.plan}
            interval={chosen.billing}
            onChange={(next) => void navigate({ to: '/billing', replace: true, resetScroll: false, search: next })}
          />
          {plan && (
            <ChangePlan
              billing={billing}
              chosen={{ plan, interval: chosen.billing }}
              isOwner={isOwner}
              isWaiting={isAwaiting(trip) && state === 'waiting'}
              isOpening={change.isOpening}
              problem={change.problem}
              onChange={(offer, isPortal) => change.open(() => createLink(account, isPortal ? undefined : offer))}
            />
          )}
        </section>
      )}
      <EndTrialDialog
        account={account}
        isOpen={isEndingTrial}
        onClose={() => setIsEndingTrial(false)}
        onEnded={(name) => {
          setIsEndingTrial(false)
          setStartedPlan(name)
          forgetTrip()
          void reload()
        }}
      />
    </>
  )
}

/** Prices, rights and the rest of the console follow from the plan. */
function useOnPlanChange({ plan, api_access: access }: Billing, onChange: () => Promise<void>) {
  const now = JSON.stringify([plan.slug, plan.billing, plan.status, access.enabled])
  const known = useRef(now)
  const changed = useEffectEvent(onChange)
  useEffect(() => {
    if (known.current === now) return
    known.current = now
    void changed()
  }, [now])
}

/** The plan of the address, else the account's last one, or the next plan up, so that most users need not choose. */
function chosenOffer(
  plan: PaidPlan | undefined,
  interval: BillingInterval | undefined,
  { plan: current, former, next }: Billing,
): { plan: PaidPlan; billing: BillingInterval } {
  return {
    plan: plan ?? former?.plan ?? suggestedPlan(current.slug, next.kind === 'past_due'),
    billing: interval ?? former?.billing ?? current.billing ?? 'monthly',
  }
}

function suggestedPlan(current: Billing['plan']['slug'], staysSame: boolean): PaidPlan {
  if (current === 'free') return 'pro'
  const place = paidPlans.indexOf(current) + (staysSame ? 0 : 1)
  return paidPlans[place] ?? current
}

interface TrialSectionProps {
  billing: Billing
  isOwner: boolean
  onEndTrial: () => void
}

/** Explains what ending the trial early changes. */
function TrialSection({ billing, isOwner, onEndTrial }: TrialSectionProps) {
  const { contact_credits: credits, plan, owners } = billing
  return (
    <section
      aria-labelledby="trial-heading"
      className="mt-4 flex flex-wrap items-center justify-between gap-3 rounded-lg border border-line bg-surface p-4"
    >
      <div className="min-w-48 flex-1">
        <h2 id="trial-heading" className="font-semibold">
          Need more credits before the trial ends?
        </h2>
        <p className="mt-1 text-muted">
          The trial has {formatNumber(credits.total)} contact credits, of which {formatNumber(credits.remaining)} are
          left. Ending it now starts the paid plan {plan.name} with {formatNumber(credits.paid_plan_total)} a month.
          {!isOwner && ` Only ${ownersText(owners)} can do that.`}
        </p>
      </div>
      {isOwner && <Button onPress={onEndTrial}>End trial</Button>}
    </section>
  )
}
