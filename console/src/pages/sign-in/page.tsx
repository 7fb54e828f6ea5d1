import { useQuery } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { signInOptionsQuery } from '#api/session.ts'
import { Link } from '#ui/actions/link.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { CodeBlock } from '#ui/fields/copyable.tsx'
import { MailLinkForm } from './mail-link-form.tsx'
import { SignInForm } from './sign-in-form.tsx'

export default function SignInPage() {
  const { data: options } = useQuery(signInOptionsQuery)
  const { next = '/stores', ask, problem } = useSearch({ from: '/sign-in' })
  const router = useRouter()
  if (ask)
    return (
      <Frame>
        <PageHeader title={ask === 'password' ? 'Forgot your password?' : 'Create an account'} />
        <MailLinkForm key={ask} ask={ask} />
      </Frame>
    )
  return (
    <Frame>
      <PageHeader title="Sign in" />
      {options?.first_operator_missing && <FirstOperator />}
      {problem && (
        <div className="mb-6">
          <Banner tone="warning" isAnnounced>
            {options?.oidc?.name ?? 'The other service'} did not confirm anybody who may sign in here. Ask for an
            invitation, or sign in in another way.
          </Banner>
        </div>
      )}
      <SignInForm next={next} oidc={options?.oidc ?? null} onSignedIn={() => router.history.push(next)} />
      {options?.mail && (
        <p className="mt-6 flex flex-wrap gap-x-6 gap-y-2">
          <Link href="/sign-in?ask=password">Forgot your password?</Link>
          {options.signup && <Link href="/sign-in?ask=account">Create an account</Link>}
        </p>
      )}
    </Frame>
  )
}

function Frame({ children }: { children: ReactNode }) {
  return (
    <main className="mx-auto max-w-sm px-4 py-8 sm:py-[12vh]">
      <p className="mb-6 font-semibold text-lg">Storedex</p>
      {children}
    </main>
  )
}

/** Nobody can sign in yet. */
function FirstOperator() {
  return (
    <div className="mb-6 space-y-3">
      <Banner>
        Nobody has been invited yet. Make the first operator on the machine where Storedex runs; the command prints a
        link to set a password.
      </Banner>
      <CodeBlock label="Command" code="npx storedex users create EMAIL --name NAME --operator" />
    </div>
  )
}
