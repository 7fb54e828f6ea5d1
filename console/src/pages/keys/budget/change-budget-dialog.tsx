import { type FormEvent, useState } from 'react'
import { fieldError, messageOf } from '#api/failure.ts'
import { Button } from '#ui/actions/button.tsx'
import { showToast } from '#ui/feedback/toasts.tsx'
import { FormError } from '#ui/fields/form-error.tsx'
import { Dialog, DialogActions } from '#ui/overlays/dialog.tsx'
import { type ApiKey, setKeyBudget, useReloadKeys } from '../queries.ts'
import { budgetMeters, changesOf, draftOf, hasProblem } from './budget.ts'
import { BudgetFields, BudgetRules, budgetField } from './budget-fields.tsx'

interface ChangeBudgetDialogProps {
  account: string
  apiKey: ApiKey
  onClose: () => void
}

export default function ChangeBudgetDialog({ account, apiKey, onClose }: ChangeBudgetDialogProps) {
  return (
    <Dialog title={`Budget of “${apiKey.name}”`} isOpen onClose={onClose} size="medium">
      <ChangeBudgetForm account={account} apiKey={apiKey} onClose={onClose} />
    </Dialog>
  )
}

function ChangeBudgetForm({ account, apiKey, onClose }: ChangeBudgetDialogProps) {
  // The list may be loaded anew while somebody types.
  const [before] = useState(() => draftOf(apiKey))
  const [draft, setDraft] = useState(before)
  const [isPending, setIsPending] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const reload = useReloadKeys(account)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (hasProblem(draft)) return
    const changes = changesOf(draft, before)
    if (Object.keys(changes).length === 0) return onClose()
    setIsPending(true)
    setFailure(undefined)
    try {
      await setKeyBudget(account, apiKey.id, changes)
      showToast(`The budget of “${apiKey.name}” was changed.`)
      void reload()
      onClose()
    } catch (error) {
      setFailure(error)
      setIsPending(false)
    }
  }

  const isAboutField = budgetMeters.some((meter) => fieldError(failure, budgetField(meter)))
  return (
    <form onSubmit={submit} className="space-y-4">
      <BudgetRules />
      <BudgetFields draft={draft} onChange={setDraft} failure={failure} current={apiKey.budget} />
      <p className="text-muted text-xs">
        A change holds from the next call on. What the key has spent in this period counts, also from before it had a
        budget. A key and the one that replaces it share their budget.
      </p>
      <FormError>{failure !== undefined && !isAboutField && messageOf(failure)}</FormError>
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" isPending={isPending}>
          Save
        </Button>
      </DialogActions>
    </form>
  )
}
