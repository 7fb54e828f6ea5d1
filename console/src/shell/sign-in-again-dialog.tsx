import { type FormEvent, useState } from 'react'
import { call } from '#api/client.ts'
import { messageOf } from '#api/failure.ts'
import { signInWithPasskey } from '#api/passkeys.ts'
import { useReloadSession, useSession } from '#api/session.ts'
import { Button } from '#ui/actions/button.tsx'
import { FormError } from '#ui/fields/field.tsx'
import { TextField } from '#ui/fields/text-field.tsx'
import { Dialog, DialogActions } from '#ui/overlays/dialog.tsx'
import { finishSignInAgain } from './session-end.ts'

export default function SignInAgainDialog() {
  return (
    <Dialog title="Confirm that it is you" isOpen onClose={() => finishSignInAgain(false)}>
      <SignInAgainForm />
    </Dialog>
  )
}

function SignInAgainForm() {
  const { person } = useSession()
  const reload = useReloadSession()
  const [password, setPassword] = useState('')
  const [pending, setPending] = useState<'password' | 'passkey'>()
  const [problem, setProblem] = useState<string>()

  const confirm = async (way: 'password' | 'passkey', signIn: () => Promise<unknown>) => {
    setPending(way)
    setProblem(undefined)
    try {
      await signIn()
      finishSignInAgain(true)
      void reload()
    } catch (error) {
      setProblem(messageOf(error))
      setPending(undefined)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void confirm('password', () => call('reauthenticate', { body: { password } }))
  }
  return (
    <form onSubmit={submit}>
      <p className="mb-4 text-muted">
        This needs a sign-in of the last ten minutes. You are signed in as{' '}
        <span className="wrap-anywhere">{person.email}</span>.
      </p>
      <input type="hidden" name="username" autoComplete="username" value={person.email} />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        autoFocus
        isRequired
      />
      <FormError>{problem}</FormError>
      <DialogActions>
        <Button onPress={() => finishSignInAgain(false)}>Cancel</Button>
        <Button isPending={pending === 'passkey'} onPress={() => void confirm('passkey', signInWithPasskey)}>
          Use a passkey
        </Button>
        <Button type="submit" variant="primary" isPending={pending === 'password'}>
          Confirm
        </Button>
      </DialogActions>
    </form>
  )
}
