import { useQuery } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { signInOptionsQuery } from '#api/session.ts'
import { CodeBlock } from '#ui/data/code-block.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { SignInForm } from './sign-in-form.tsx'

export default function SignInPage() {
  const { data: options } = useQuery(signInOptionsQuery)
  const { next = '/stores' } = useSearch({ from: '/sign-in' })
  const router = useRouter()
  return (
    <main className="mx-auto max-w-sm px-4 py-8 sm:py-[12vh]">
      <p className="mb-6 font-semibold text-lg">Storedex</p>
      <PageHeader title="Sign in" />
      {options?.first_operator_missing && <FirstOperator />}
      <SignInForm next={next} oidc={options?.oidc ?? null} onSignedIn={() => router.history.push(next)} />
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
      <CodeBlock label="Command" code="npx storedex people create EMAIL --name NAME --operator" />
    </div>
  )
}
