import { useState } from 'react'
import { messageOf } from '#api/failure.ts'
import { formatNumber } from '#lib/format.ts'
import { FormError } from '#ui/fields/form-error.tsx'
import { NumberField } from '#ui/fields/number-field.tsx'
import { Dialog, FormActions } from '#ui/overlays/dialog.tsx'
import type { AccountChanges, AccountDetails } from '../api.ts'
import { limitNames } from '../words.ts'
import { useAccountChange } from './use-account-change.ts'

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
