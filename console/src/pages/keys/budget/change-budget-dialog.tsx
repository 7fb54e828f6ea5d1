import { useState } from 'react'
import { call } from '#api/client.ts'
import { fieldError } from '#api/failure.ts'
import { Dialog } from '#ui/overlays/dialog.tsx'
import type { ApiKey } from '../api.ts'
import { ChangeKeyForm } from '../change-key-form.tsx'
import { budgetMeters, changesOf, draftOf, hasProblem } from './budget.ts'
import { BudgetFields, BudgetRules, budgetField } from './budget-fields.tsx'

interface ChangeBudgetDialogProps {
  account: string
  apiKey: ApiKey
  onClose: () => void
}

export default function ChangeBudgetDialog({ account, apiKey, onClose }: ChangeBudgetDialogProps) {
  // The list may be reloaded while the user types.
  const [before] = useState(() => draftOf(apiKey))
  const [draft, setDraft] = useState(before)
  const send = () => {
    if (hasProblem(draft)) return undefined
    const changes = changesOf(draft, before)
    return Object.keys(changes).length === 0
      ? null
      : call('setKeyBudget', { account, key: apiKey.id, body: { budget: changes } })
  }
  return (
    <Dialog title={`Budget of “${apiKey.name}”`} isOpen onClose={onClose} size="medium">
      <ChangeKeyForm
        send={send}
        done={`The budget of “${apiKey.name}” was changed.`}
        isInField={(failure) => budgetMeters.some((meter) => fieldError(failure, budgetField(meter)))}
        note="A change holds from the next call on. What the key has spent in this period counts, also from before it had a budget. A key and the one that replaces it share their budget."
        onClose={onClose}
      >
        {(failure) => (
          <>
            <BudgetRules />
            <BudgetFields draft={draft} onChange={setDraft} failure={failure} current={apiKey.budget} />
          </>
        )}
      </ChangeKeyForm>
    </Dialog>
  )
}
