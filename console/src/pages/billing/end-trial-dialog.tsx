import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '#api/client.ts'
import { failureProps, hasCode, messageOf } from '#api/failure.ts'
import { callQuery } from '#api/query.ts'
import { formatDay, formatNumber } from '#lib/format.ts'
import { Button } from '#ui/actions/button.tsx'
import { PageSpinner } from '#ui/feedback/spinner.tsx'
import { ErrorState } from '#ui/feedback/states.tsx'
import { FormError } from '#ui/fields/field.tsx'
import { Dialog, DialogActions } from '#ui/overlays/dialog.tsx'
import type { Trial } from './api.ts'
import { formatPrice } from './labels.ts'

interface EndTrialDialogProps {
  account: string
  isOpen: boolean
  onClose: () => void
  onEnded: (planName: string) => void
}

/** Shows what ending the trial means, as the payment provider knows it now, and does exactly that. */
export function EndTrialDialog({ account, isOpen, onClose, onEnded }: EndTrialDialogProps) {
  const trial = useQuery({
    ...callQuery('readTrial', { account }),
    enabled: isOpen,
    // Not kept: its confirmation is for what is shown now.
    staleTime: 0,
    gcTime: 0,
  })
  return (
    <Dialog title="End trial" isOpen={isOpen} onClose={onClose} isQuestion>
      {trial.isError ? (
        <ErrorState {...failureProps(trial.error)} onRetry={() => trial.refetch()} isRetrying={trial.isFetching} />
      ) : trial.data && !trial.isFetching ? (
        <TrialStep
          key={trial.data.confirmation}
          account={account}
          trial={trial.data}
          onClose={onClose}
          onEnded={onEnded}
          onOutdated={() => void trial.refetch()}
        />
      ) : (
        <PageSpinner />
      )}
    </Dialog>
  )
}

interface TrialStepProps {
  account: string
  trial: Trial
  onClose: () => void
  onEnded: (planName: string) => void
  onOutdated: () => void
}

function TrialStep({ account, trial, onClose, onEnded, onOutdated }: TrialStepProps) {
  const [isPending, setIsPending] = useState(false)
  const [problem, setProblem] = useState<string>()
  const label = stepLabel(trial)
  const confirm = async () => {
    setIsPending(true)
    setProblem(undefined)
    try {
      const { url } = await call('endTrial', { account, body: { confirmation: trial.confirmation } })
      // The address is a secret: it is kept nowhere, only gone to.
      if (url !== null) return window.location.assign(url)
      onEnded(trial.plan_name)
    } catch (error) {
      setIsPending(false)
      if (hasCode(error, 'trial_changed')) onOutdated()
      else setProblem(messageOf(error))
    }
  }
  return (
    <>
      {stepText(trial)}
      {label && <TrialFacts trial={trial} />}
      <FormError>{problem}</FormError>
      <DialogActions>
        <Button onPress={onClose}>{label ? 'Cancel' : 'Close'}</Button>
        {label && (
          <Button variant="primary" isPending={isPending} onPress={confirm} autoFocus>
            {label}
          </Button>
        )}
      </DialogActions>
    </>
  )
}

function stepLabel({ step, plan_name: plan }: Trial): string | null {
  switch (step) {
    case 'end_trial':
      return `End trial and start ${plan}`
    case 'add_payment_method':
      return 'Add a payment method'
    case 'buy':
    case 'retry_payment':
      return 'Continue to the payment page'
    default:
      return null
  }
}

function stepText(trial: Trial): ReactNode {
  switch (trial.step) {
    case 'end_trial':
      return (
        <p>
          The paid plan {trial.plan_name} starts at once, with all of its contact credits. The payment method on file is
          charged as soon as you confirm.
          {trial.cancel_at_period_end && ' The plan is set to end after its first paid period.'}
        </p>
      )
    case 'add_payment_method':
      return (
        <p>
          The payment provider needs a payment method first. Adding one charges nothing yet; afterwards you come back to
          this question.
        </p>
      )
    case 'buy':
      return (
        <p>
          The trial ends, and the paid plan starts, when you subscribe on the payment page. It shows the price first.
        </p>
      )
    case 'retry_payment':
      return (
        <p>
          The trial has ended, but the payment did not go through. On the payment page you can use another payment
          method.
        </p>
      )
    case 'plan_active':
      return <p>The trial is over, and the paid plan {trial.plan_name} is active.</p>
    case 'no_plan':
      return <p>There is no trial any more. Choose a plan to open access again.</p>
    case 'contact_operator':
      return <p>This trial cannot be ended here. Ask the operator of this service, who can start the paid plan.</p>
  }
}

function TrialFacts({ trial }: { trial: Trial }) {
  const { contact_credits: credits } = trial
  const facts: [string, string][] = [
    ...(trial.price ? [['Price', formatPrice(trial.price)] as [string, string]] : []),
    ...(trial.ends_at ? [['Trial otherwise until', formatDay(trial.ends_at)] as [string, string]] : []),
    ['Contact credits now', `${formatNumber(credits.remaining)} of ${formatNumber(credits.total)} left`],
    ['Contact credits afterwards', `${formatNumber(credits.after)} a month`],
  ]
  return (
    <dl className="mt-4 divide-y divide-line border-line border-y">
      {facts.map(([name, value]) => (
        <div key={name} className="flex flex-wrap justify-between gap-x-4 py-1.5">
          <dt className="text-muted">{name}</dt>
          <dd className="font-medium">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
