import { type FormEvent, useState } from 'react'
import type { CurrentAccount } from '#api/account.tsx'
import { fieldError, messageOf } from '#api/failure.ts'
import { Button } from '#ui/actions/button.tsx'
import { showToast } from '#ui/feedback/toasts.tsx'
import { FormError } from '#ui/fields/form-error.tsx'
import { Dialog, DialogActions } from '#ui/overlays/dialog.tsx'
import { type ApiKey, setKeyScopes, useReloadKeys } from '../queries.ts'
import { ScopeField } from './scope-field.tsx'
import type { Scope } from './scopes.ts'

interface ChangeScopesDialogProps {
  account: CurrentAccount
  apiKey: ApiKey
  onClose: () => void
}

export default function ChangeScopesDialog({ account, apiKey, onClose }: ChangeScopesDialogProps) {
  return (
    <Dialog title={`Scopes of “${apiKey.name}”`} isOpen onClose={onClose} size="medium">
      <ChangeScopesForm account={account} apiKey={apiKey} onClose={onClose} />
    </Dialog>
  )
}

function ChangeScopesForm({ account, apiKey, onClose }: ChangeScopesDialogProps) {
  // The list may be loaded anew while somebody chooses.
  const [before] = useState<readonly Scope[]>(apiKey.scopes)
  const [held, setHeld] = useState(before)
  const [isPending, setIsPending] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const reload = useReloadKeys(account.id)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (held.length === 0) return
    const isSame = held.length === before.length && held.every((scope) => before.includes(scope))
    if (isSame) return onClose()
    setIsPending(true)
    setFailure(undefined)
    try {
      await setKeyScopes(account.id, apiKey.id, [...held])
      showToast(`The scopes of “${apiKey.name}” were changed.`)
      void reload()
      onClose()
    } catch (error) {
      setFailure(error)
      setIsPending(false)
    }
  }

  const problem = fieldError(failure, 'scopes')
  return (
    <form onSubmit={submit} className="space-y-4">
      <ScopeField held={held} onChange={setHeld} before={before} canAdd={account.access} errorMessage={problem} />
      <p className="text-muted text-xs">
        A change holds from the next call on, for this key alone. Scopes can be taken away at any time;{' '}
        {account.access
          ? 'they can be added while the account has access.'
          : 'they can be added again once the account has access.'}
      </p>
      <FormError>{failure !== undefined && !problem && messageOf(failure)}</FormError>
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" isPending={isPending}>
          Save
        </Button>
      </DialogActions>
    </form>
  )
}
