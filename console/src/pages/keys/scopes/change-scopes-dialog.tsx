import { useState } from 'react'
import type { CurrentAccount } from '#api/account.tsx'
import { call } from '#api/client.ts'
import { fieldError } from '#api/failure.ts'
import { Dialog } from '#ui/overlays/dialog.tsx'
import type { ApiKey } from '../api.ts'
import { ChangeKeyForm } from '../change-key-form.tsx'
import { ScopeField } from './scope-field.tsx'
import type { Scope } from './scopes.ts'

interface ChangeScopesDialogProps {
  account: CurrentAccount
  apiKey: ApiKey
  onClose: () => void
}

export default function ChangeScopesDialog({ account, apiKey, onClose }: ChangeScopesDialogProps) {
  // The list may be reloaded while the user chooses.
  const [before] = useState<readonly Scope[]>(apiKey.scopes)
  const [held, setHeld] = useState(before)
  const send = () => {
    if (held.length === 0) return undefined
    const isSame = held.length === before.length && held.every((scope) => before.includes(scope))
    return isSame ? null : call('setKeyScopes', { account: account.id, key: apiKey.id, body: { scopes: [...held] } })
  }
  const problemIn = (failure: unknown) => fieldError(failure, 'scopes')
  return (
    <Dialog title={`Scopes of “${apiKey.name}”`} isOpen onClose={onClose} size="medium">
      <ChangeKeyForm
        send={send}
        done={`The scopes of “${apiKey.name}” were changed.`}
        isInField={(failure) => problemIn(failure) !== undefined}
        note={
          <>
            A change holds from the next call on, for this key alone. Scopes can be taken away at any time;{' '}
            {account.access
              ? 'they can be added while the account has access.'
              : 'they can be added again once the account has access.'}
          </>
        }
        onClose={onClose}
      >
        {(failure) => (
          <ScopeField
            held={held}
            onChange={setHeld}
            before={before}
            canAdd={account.access}
            errorMessage={problemIn(failure)}
          />
        )}
      </ChangeKeyForm>
    </Dialog>
  )
}
