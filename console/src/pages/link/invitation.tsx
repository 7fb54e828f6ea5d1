import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '#api/client.ts'
import { messageOf } from '#api/failure.ts'
import type { Reply } from '#api/operations.ts'
import { startSession } from '#api/session.ts'
import { Button } from '#ui/actions/button.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { FormError } from '#ui/fields/field.tsx'
import { SignInForm } from '../sign-in/sign-in-form.tsx'
import { OpenLinkButton } from './open-link-button.tsx'
import { SetPasswordForm } from './set-password-form.tsx'

interface InvitationProps {
  token: string
  link: Reply<'lookAtLink'>
}

/**
 * An invitation, whose link may have passed through other hands. It shows both ways in, so that it does not reveal
 * if the address has an account. Users with an account sign in here, where the token is; it is in no other address.
 */
export function InvitationForms({ token, link }: InvitationProps) {
  const [hasAccount, setHasAccount] = useState(false)
  const title = link.account ? `Join ${link.account.name}` : 'Your link'
  const whom = <span className="wrap-anywhere">For {link.email}</span>
  if (!link.needs_sign_in)
    return (
      <>
        <PageHeader title={title} description={whom} />
        <OpenLinkButton token={token}>Join</OpenLinkButton>
      </>
    )
  return (
    <>
      <PageHeader title={title} description={whom} />
      {hasAccount ? <JoinSignedIn token={token} link={link} /> : <SetPasswordForm token={token} link={link} />}
      <p className="mt-6 flex flex-wrap items-baseline gap-x-2 text-muted text-sm">
        {hasAccount ? 'New here?' : 'You have an account already?'}
        <Button variant="quiet" onPress={() => setHasAccount(!hasAccount)}>
          {hasAccount ? 'Choose a name and a password' : 'Sign in to join'}
        </Button>
      </p>
    </>
  )
}

function JoinSignedIn({ token, link }: InvitationProps) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [problem, setProblem] = useState<string>()
  const join = async () => {
    try {
      const opened = await call('openLink', { body: { token } })
      if (opened.purpose !== 'sign_in') return setProblem(`This invitation is for ${link.email}; sign in as them.`)
      startSession(queryClient)
      await navigate({ to: '/stores', replace: true })
    } catch (error) {
      setProblem(messageOf(error))
    }
  }
  return (
    <>
      <p className="mb-4 wrap-anywhere">Sign in as {link.email} to join.</p>
      <SignInForm key={problem} next="/stores" oidc={null} email={link.email} onSignedIn={() => void join()} />
      <FormError>{problem}</FormError>
    </>
  )
}
