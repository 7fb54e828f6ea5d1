import { formatNumber } from '#lib/format.ts'
import { Button } from '#ui/actions/button.tsx'
import type { Billing } from './api.ts'
import { ownersText } from './labels.ts'

interface TrialSectionProps {
  billing: Billing
  isOwner: boolean
  onEndTrial: () => void
}

/** What ending the trial early means. */
export function TrialSection({ billing, isOwner, onEndTrial }: TrialSectionProps) {
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
