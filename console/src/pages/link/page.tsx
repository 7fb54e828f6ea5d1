import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call } from '#api/client.ts'
import { failureProps, hasCode } from '#api/failure.ts'
import type { Reply } from '#api/operations.ts'
import { Link } from '#ui/actions/link.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { PageSpinner } from '#ui/feedback/spinner.tsx'
import { ErrorState } from '#ui/feedback/states.tsx'
import { InvitationForms } from './invitation.tsx'
import { OpenLinkButton } from './open-link-button.tsx'
import { SetPasswordForm } from './set-password-form.tsx'

/** The token is in the fragment, which no server, log or referrer gets to see; it is taken out of the address at once. */
export default function LinkPage() {
  const [token] = useState(() => decodeURIComponent(window.location.hash.slice(1)))
  const link = useQuery({
    // The token is a secret, and no part of the key.
    queryKey: ['lookAtLink'],
    queryFn: () => call('lookAtLink', { body: { token } }),
    enabled: token !== '',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  useEffect(() => window.history.replaceState(window.history.state, '', '/link'), [])

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
      ) : link.data ? (
        <WaitingLink token={token} link={link.data} />
      ) : (
        <>
          <PageHeader title="Your link" />
          <PageSpinner />
        </>
      )}
    </main>
  )
}

function WaitingLink({ token, link }: { token: string; link: Reply<'lookAtLink'> }) {
  if (link.purpose === 'invitation') return <InvitationForms token={token} link={link} />
  const whom = <span className="wrap-anywhere">For {link.email}</span>
  return link.purpose === 'sign_in' ? (
    <>
      <PageHeader title="Your link" description={whom} />
      <OpenLinkButton token={token}>Sign in</OpenLinkButton>
    </>
  ) : (
    <>
      <PageHeader title="Set your password" description={whom} />
      <SetPasswordForm token={token} link={link} />
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
