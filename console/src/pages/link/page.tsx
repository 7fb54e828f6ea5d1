import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { failureProps, hasCode } from '#api/failure.ts'
import { startSession } from '#api/session.ts'
import { Link } from '#ui/actions/link.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { ErrorState } from '#ui/feedback/error-state.tsx'
import { PageSpinner } from '#ui/feedback/spinner.tsx'
import { SignInForm } from '../sign-in/sign-in-form.tsx'
import { openLink, type PasswordLink } from './link-reply.ts'
import { SetPasswordForm } from './set-password-form.tsx'

/** The token is in the fragment, which no server, log or referrer gets to see; it is taken out of the address at once. */
export default function LinkPage() {
  const [token] = useState(() => decodeURIComponent(window.location.hash.slice(1)))
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const link = useQuery({
    queryKey: ['link'],
    queryFn: () => openLink(token),
    enabled: token !== '',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  useEffect(() => window.history.replaceState(window.history.state, '', '/link'), [])
  useEffect(() => {
    if (link.data?.purpose !== 'sign_in') return
    startSession(queryClient)
    void navigate({ to: '/stores', replace: true })
  }, [link.data, queryClient, navigate])

  return (
    <main className="mx-auto max-w-sm px-4 py-8 sm:py-[12vh]">
      <p className="mb-6 font-semibold text-lg">Storedex</p>
      {token === '' || hasCode(link.error, 'invalid_link') ? (
        <InvalidLink />
      ) : link.error ? (
        <>
          <PageHeader title="Your link" />
          <ErrorState {...failureProps(link.error)} onRetry={() => void link.refetch()} isRetrying={link.isFetching} />
        </>
      ) : link.data && link.data.purpose !== 'sign_in' && link.data.needs_sign_in ? (
        <JoinSignedIn link={link.data} onSignedIn={() => void link.refetch()} />
      ) : link.data && link.data.purpose !== 'sign_in' ? (
        <SetPassword token={token} link={link.data} />
      ) : (
        <>
          <PageHeader title="Signing in" />
          <PageSpinner />
        </>
      )}
    </main>
  )
}

function SetPassword({ token, link }: { token: string; link: PasswordLink }) {
  const isInvitation = link.purpose === 'invitation'
  return (
    <>
      <PageHeader
        title={isInvitation && link.account ? `Join ${link.account.name}` : 'Set your password'}
        description={<span className="wrap-anywhere">For {link.email}</span>}
      />
      <SetPasswordForm token={token} link={link} />
    </>
  )
}

/**
 * An invitation of somebody who can sign in already: the link may have passed through other hands. They sign in here,
 * where the token is; it is in no other address.
 */
function JoinSignedIn({ link, onSignedIn }: { link: PasswordLink; onSignedIn: () => void }) {
  return (
    <>
      <PageHeader
        title={link.account ? `Join ${link.account.name}` : 'Your link'}
        description={<span className="wrap-anywhere">Sign in as {link.email} to join.</span>}
      />
      <SignInForm key={link.request_id} next="/stores" oidc={null} email={link.email} onSignedIn={onSignedIn} />
    </>
  )
}

function InvalidLink() {
  return (
    <>
      <PageHeader title="This link no longer works" />
      <p>A link works once, and only for a while. Ask whoever sent it for a new one.</p>
      <p className="mt-4">
        <Link href="/sign-in">Sign in</Link>
      </p>
    </>
  )
}
