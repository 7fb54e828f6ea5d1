import { useState } from 'react'
import { call } from '#api/client.ts'
import { messageOf } from '#api/failure.ts'
import { useReload } from '#api/query.ts'
import { formatNumber } from '#lib/format.ts'
import { useSubmit } from '#lib/use-submit.ts'
import { Banner } from '#ui/feedback/banner.tsx'
import { FormError } from '#ui/fields/field.tsx'
import { NumberField } from '#ui/fields/number-field.tsx'
import { Select } from '#ui/fields/select.tsx'
import { DateField } from '#ui/fields/text-field.tsx'
import { Dialog, FormActions } from '#ui/overlays/dialog.tsx'
import type { AccountChanges, AccountDetails, OperatorAccount } from '../api.ts'
import { limitNames, planOptions, subscriptionStatuses, wordsOf } from '../labels.ts'

interface ChangeLimitsDialogProps {
  details: AccountDetails
  isOpen: boolean
  onClose: () => void
}

export function ChangeLimitsDialog({ details, isOpen, onClose }: ChangeLimitsDialogProps) {
  return (
    <Dialog title="Change limits" isOpen={isOpen} onClose={onClose} size="medium">
      <ChangeLimitsForm details={details} onClose={onClose} />
    </Dialog>
  )
}

type Meter = keyof NonNullable<AccountChanges['limits']>

const meters = [
  'contact_credits',
  'store_exports',
  'search_rows',
  'requests_per_minute',
  'requests_per_day',
  'billing_status_per_hour',
  'billing_links_per_hour',
  'ready_exports',
  'ready_export_bytes',
  'trial_contact_credits',
] as const satisfies Meter[]

const largest = 2 ** 31 - 1

function ChangeLimitsForm({ details, onClose }: Omit<ChangeLimitsDialogProps, 'isOpen'>) {
  const { account, limits: inForce } = details
  const [figures, setFigures] = useState<Record<string, number>>(account.limits)
  const changes = () => {
    const limits: NonNullable<AccountChanges['limits']> = {}
    for (const meter of meters) {
      const before = account.limits[meter] ?? null
      const now = figures[meter] ?? null
      if (now !== before) limits[meter] = now
    }
    return Object.keys(limits).length === 0 ? {} : { limits }
  }
  const { submit, isPending, failure } = useAccountChange(account.id, changes, onClose)
  return (
    <form onSubmit={submit}>
      <p className="mb-4 text-muted">
        A figure replaces that of the plan, also after a change of plan. Empty follows the plan.
      </p>
      <div className="grid gap-4 sm:grid-cols-2">
        {meters.map((meter) => {
          const current = inForce[meter]
          return (
            <NumberField
              key={meter}
              label={limitNames[meter] ?? meter}
              value={figures[meter] ?? Number.NaN}
              onChange={(figure) =>
                setFigures(({ [meter]: _, ...others }) =>
                  Number.isNaN(figure) ? others : { ...others, [meter]: figure },
                )
              }
              minValue={0}
              maxValue={largest}
              {...(current !== undefined && { placeholder: formatNumber(current) })}
            />
          )
        })}
      </div>
      <FormError>{failure !== undefined && messageOf(failure)}</FormError>
      <FormActions isPending={isPending} onCancel={onClose}>
        Save
      </FormActions>
    </form>
  )
}

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

/** Saves changes of an account, then closes the dialog; a failure stays in it. */
function useAccountChange(id: string, changes: () => AccountChanges, onClose: () => void) {
  const reload = useReload('listAccounts', 'getAccount')
  return useSubmit(async () => {
    const body = changes()
    if (Object.keys(body).length > 0) {
      await call('changeAccount', { id, body })
      await reload()
    }
    onClose()
  })
}
