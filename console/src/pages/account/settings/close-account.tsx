import { useState } from 'react'
import { call } from '#api/client.ts'
import { hasCode, messageOf } from '#api/failure.ts'
import { useReloadSession } from '#api/session.ts'
import { useSubmit } from '#lib/use-submit.ts'
import { Button } from '#ui/actions/button.tsx'
import { Link } from '#ui/actions/link.tsx'
import { showToast } from '#ui/feedback/toasts.tsx'
import { FormError } from '#ui/fields/field.tsx'
import { TextField } from '#ui/fields/text-field.tsx'
import { Dialog, DialogActions } from '#ui/overlays/dialog.tsx'

export function CloseAccount({ account, name }: { account: string; name: string }) {
  const [isOpen, setIsOpen] = useState(false)
  const close = () => setIsOpen(false)
  return (
    <>
      <Button onPress={() => setIsOpen(true)}>Close account</Button>
      <Dialog title={`Close ${name}?`} isOpen={isOpen} onClose={close} isQuestion>
        <CloseAccountForm account={account} name={name} onDone={close} />
      </Dialog>
    </>
  )
}

interface CloseAccountFormProps {
  account: string
  name: string
  onDone: () => void
}

/** Confirmed by typing, not by a second press: it cannot be undone. */
function CloseAccountForm({ account, name, onDone }: CloseAccountFormProps) {
  const reload = useReloadSession()
  const [typed, setTyped] = useState('')
  const close = async () => {
    await call('closeAccount', { account })
    showToast(`${name} was closed.`)
    onDone()
    await reload()
  }
  const { submit, isPending, failure } = useSubmit(() => (typed.trim() === name ? close() : undefined))
  return (
    <form onSubmit={submit}>
      <p className="mb-4">
        This cannot be undone. Programs that use keys of this account are refused from now on, and nobody can search or
        reveal.
      </p>
      <TextField
        label="Type the name of the account"
        description={<span className="wrap-anywhere">{name}</span>}
        autoComplete="off"
        value={typed}
        onChange={setTyped}
        isRequired
        autoFocus
      />
      <FormError>
        {failure !== undefined && (
          <>
            {messageOf(failure)}{' '}
            {hasCode(failure, 'subscription_running') && <Link href="/billing">Go to Billing</Link>}
          </>
        )}
      </FormError>
      <DialogActions>
        <Button onPress={onDone}>Cancel</Button>
        <Button type="submit" variant="danger" isPending={isPending} isDisabled={typed.trim() !== name}>
          Close account
        </Button>
      </DialogActions>
    </form>
  )
}
