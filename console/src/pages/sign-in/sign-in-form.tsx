import { useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { call } from '#api/client.ts'
import { messageOf } from '#api/failure.ts'
import { addressOf } from '#api/operations.ts'
import { signInWithPasskey } from '#api/passkeys.ts'
import { type Session, startSession } from '#api/session.ts'
import { Button, buttonClass } from '#ui/actions/button.tsx'
import { FormError } from '#ui/fields/field.tsx'
import { TextField } from '#ui/fields/text-field.tsx'

interface SignInFormProps {
  next: string
  oidc: { name: string } | null
  /** Whom it is for, where that is known. */
  email?: string
  onSignedIn: () => void
}

export function SignInForm({ next, oidc, email: known = '', onSignedIn }: SignInFormProps) {
  const queryClient = useQueryClient()
  const [email, setEmail] = useState(known)
  const [password, setPassword] = useState('')
  const [pending, setPending] = useState<'password' | 'passkey'>()
  const [problem, setProblem] = useState<string>()

  const signIn = async (way: 'password' | 'passkey', work: () => Promise<Session>) => {
    setPending(way)
    setProblem(undefined)
    try {
      startSession(queryClient, await work())
      onSignedIn()
    } catch (error) {
      setProblem(messageOf(error))
      setPending(undefined)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void signIn('password', () => call('signIn', { body: { email, password } }))
  }
  return (
    <form onSubmit={submit}>
      <div className="space-y-4">
        <TextField
          label="Email"
          type="email"
          autoComplete="username webauthn"
          value={email}
          onChange={setEmail}
          isRequired
          autoFocus
        />
        <TextField
          label="Password"
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
          isRequired
        />
      </div>
      <FormError>{problem}</FormError>
      <div className="mt-6 flex flex-col gap-2">
        <Button type="submit" variant="primary" isPending={pending === 'password'}>
          Sign in
        </Button>
        <Button isPending={pending === 'passkey'} onPress={() => void signIn('passkey', signInWithPasskey)}>
          <KeyRound aria-hidden />
          Sign in with a passkey
        </Button>
        {oidc && (
          <a href={addressOf('startOpenIdSignIn', { next })} className={buttonClass()}>
            Sign in with {oidc.name}
          </a>
        )}
      </div>
    </form>
  )
}
