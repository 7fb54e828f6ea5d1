import { useState } from 'react'
import { messageOf } from '#api/failure.ts'
import { Banner } from '#ui/feedback/banner.tsx'
import { DateField } from '#ui/fields/date-field.tsx'
import { FormError } from '#ui/fields/form-error.tsx'
import { Select } from '#ui/fields/select.tsx'
import { Dialog, FormActions } from '#ui/overlays/dialog.tsx'
import type { AccountChanges, OperatorAccount } from '../api.ts'
import { planOptions, subscriptionStatuses, wordsOf } from '../words.ts'
import { useAccountChange } from './use-account-change.ts'

interface ChangeTermsDialogProps {
  account: OperatorAccount
  isOpen: boolean
  onClose: () => void
}

export function ChangeTermsDialog({ account, isOpen, onClose }: ChangeTermsDialogProps) {
  return (
    <Dialog title="Change plan" isOpen={isOpen} onClose={onClose}>
      <ChangeTermsForm account={account} onClose={onClose} />
    </Dialog>
  )
}

type Status = (typeof subscriptionStatuses)[number]

const followsPlan = 'follows'
const dayMs = 86_400_000

function ChangeTermsForm({ account, onClose }: Omit<ChangeTermsDialogProps, 'isOpen'>) {
  const [plan, setPlan] = useState(account.plan)
  const [status, setStatus] = useState<Status | typeof followsPlan>(followsPlan)
  const [lastDay, setLastDay] = useState(lastDayOf(account.trial_ends_at))
  const changes = () => {
    const changes: AccountChanges = {}
    if (plan !== account.plan) changes.plan = plan
    if (status !== followsPlan && status !== account.status) changes.status = status
    if (lastDay !== lastDayOf(account.trial_ends_at)) changes.trial_ends_at = lastDay === '' ? null : endOf(lastDay)
    return changes
  }
  const { submit, isPending, failure } = useAccountChange(account.id, changes, onClose)
  return (
    <form onSubmit={submit}>
      <div className="space-y-4">
        <Banner>A plan changed here is granted by hand. Nobody is charged, and a subscription stays as it is.</Banner>
        <Select label="Plan" options={planOptions} value={plan} onChange={setPlan} />
        <Select
          label="Status"
          options={[
            { id: followsPlan, label: `Leave to the plan (now ${wordsOf(account.status).toLowerCase()})` },
            ...subscriptionStatuses.map((id) => ({ id, label: wordsOf(id) })),
          ]}
          value={status}
          onChange={setStatus}
        />
        <DateField
          label="Last day of the trial"
          description="In UTC. A day puts the account on trial; customers see it, and the trial lasts until you end it. Empty ends it."
          value={lastDay}
          onChange={setLastDay}
        />
      </div>
      <FormError>{failure !== undefined && messageOf(failure)}</FormError>
      <FormActions isPending={isPending} onCancel={onClose}>
        Save
      </FormActions>
    </form>
  )
}

function lastDayOf(endsAt: string | null): string {
  return endsAt === null ? '' : new Date(Date.parse(endsAt) - 1).toISOString().slice(0, 10)
}

function endOf(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + dayMs).toISOString()
}
