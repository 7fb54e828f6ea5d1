import type { ReactNode } from 'react'
import { formatDay, formatNumber } from '#lib/format.ts'
import { Badge } from '#ui/data/badge.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import type { Billing } from './api.ts'
import { closedReason, nextSentence, statusLabel } from './labels.ts'

interface PlanSummaryProps {
  billing: Billing
  /** The name of the plan that has ended, if there was one. */
  formerName: string | undefined
  /** `Manage billing`, where there is something to manage. */
  action: ReactNode
}

/** The plan, its state, what is open, and what happens next, in words. */
export function PlanSummary({ billing, formerName, action }: PlanSummaryProps) {
  const { plan, api_access: access, contact_credits: credits } = billing
  const status = statusLabel(plan.status)
  const next = nextSentence(billing)
  return (
    <section aria-labelledby="plan-heading" className="rounded-lg border border-line bg-surface">
      <div className="flex flex-wrap items-start justify-between gap-3 p-4">
        <div className="min-w-36 flex-1">
          <h2 id="plan-heading" className="flex flex-wrap items-center gap-2 font-semibold text-lg">
            {plan.name}
            {status && <Badge tone={status[1]}>{status[0]}</Badge>}
          </h2>
          {next && <p className="mt-1 text-muted">{next}</p>}
        </div>
        {action}
      </div>
      {!access.enabled && <ClosedNotice billing={billing} reason={closedReason(billing, formerName)} />}
      {billing.problem && <ProblemNotice problem={billing.problem} />}
      {access.enabled && (
        <dl className="grid gap-x-6 gap-y-2 border-line border-t p-4 sm:grid-cols-3">
          <Fact name="Access">Open: searches, reveals and keys work</Fact>
          <Fact name="Billed">{billedText(billing)}</Fact>
          <Fact name="Contact credits">
            {formatNumber(credits.remaining)} of {formatNumber(credits.total)} left
            {!plan.trial.active && <span className="text-muted"> · new on {formatDay(credits.renews_at)}</span>}
          </Fact>
        </dl>
      )}
    </section>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-muted text-xs">{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function billedText({ plan, granted }: Billing): string {
  if (granted) return 'Granted, not charged'
  return plan.billing === 'annual' ? 'Annually' : 'Monthly'
}

function ClosedNotice({ billing, reason }: { billing: Billing; reason: string }) {
  const until = billing.next.kind === 'past_due' ? 'it is paid' : 'there is a paid plan'
  return (
    <div className="px-4 pb-4">
      <Banner tone="warning">
        <strong className="font-semibold">{reason}</strong> Searches, reveals and the API are closed
        {!billing.closed && ` until ${until}`}. What this account has revealed, its usage, keys and people stay here.
      </Banner>
    </div>
  )
}

function ProblemNotice({ problem }: { problem: NonNullable<Billing['problem']> }) {
  return (
    <div className="px-4 pb-4">
      <Banner tone="danger">
        {problem === 'several_subscriptions'
          ? 'This account has several subscriptions at the payment provider.'
          : 'The subscription has a price that this service does not know.'}{' '}
        Ask the operator of this service before you change anything; <b>Manage billing</b> shows the invoices.
      </Banner>
    </div>
  )
}
