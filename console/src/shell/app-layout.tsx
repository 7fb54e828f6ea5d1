import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { AccountProvider, useAccounts } from '#api/account.tsx'
import { call } from '#api/client.ts'
import { messageOf } from '#api/failure.ts'
import { useSession } from '#api/session.ts'
import { Button } from '#ui/actions/button.tsx'
import { Link } from '#ui/actions/link.tsx'
import { SkipLink } from '#ui/actions/skip-link.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { EmptyState } from '#ui/feedback/states.tsx'
import { showToast } from '#ui/feedback/toasts.tsx'
import { KeyboardShortcuts } from './keyboard/keyboard-shortcuts.tsx'
import { NavigationList } from './navigation-list.tsx'
import { useIsSigningInAgain } from './session-end.ts'
import { TopBar } from './top-bar.tsx'

const SignInAgainDialog = lazy(() => import('./sign-in-again-dialog.tsx'))

export default function AppLayout() {
  return (
    <AccountProvider>
      <KeyboardShortcuts>
        <SkipLink to="main">Skip to content</SkipLink>
        <SeeAsBanner />
        <div className="flex min-h-dvh">
          <aside className="sticky top-0 hidden h-dvh w-52 shrink-0 flex-col overflow-y-auto border-line border-r bg-surface px-3 py-3 md:flex">
            <Wordmark />
            <NavigationList />
          </aside>
          <div className="flex min-w-0 flex-1 flex-col">
            <TopBar />
            <main id="main" tabIndex={-1} className="min-w-0 flex-1 p-4 outline-none sm:p-6">
              <Page />
            </main>
          </div>
        </div>
        <SignInAgain />
      </KeyboardShortcuts>
    </AccountProvider>
  )
}

/** Appears when a call needs a sign-in of the last ten minutes; the call then goes on. */
function SignInAgain() {
  return <Suspense>{useIsSigningInAgain() && <SignInAgainDialog />}</Suspense>
}

function Wordmark() {
  return <div className="mb-4 px-2 py-1 font-semibold text-lg">Storedex</div>
}

const withoutAccount = ['/operator', '/account/profile', '/account/sessions']

/** Anew for each account: nothing that was chosen in one is left in another. */
function Page() {
  const { current } = useAccounts()
  const { person } = useSession()
  const { pathname } = useLocation()
  if (current || withoutAccount.some((path) => pathname.startsWith(path))) return <Outlet key={current?.id ?? ''} />
  return (
    <EmptyState title="You are not a member of an account">
      {person.operator ? (
        <Link href="/operator/accounts">Go to all accounts</Link>
      ) : (
        'Ask an admin of your account to invite you.'
      )}
    </EmptyState>
  )
}

/** An operator looks at the console as an account does. */
function SeeAsBanner() {
  const { see_as } = useSession()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const stop = useMutation({
    mutationFn: () => call('stopSeeAs', {}),
    onSuccess: async () => {
      await navigate({ to: '/operator/accounts' })
      await queryClient.invalidateQueries()
    },
    onError: (error) => showToast(messageOf(error)),
  })
  if (!see_as) return null
  const button = (
    <Button isSmall isPending={stop.isPending} onPress={() => stop.mutate()}>
      Stop
    </Button>
  )
  return (
    <section aria-label="See as">
      <Banner tone="warning" isWide actions={button}>
        You see the console as <strong className="wrap-anywhere">{see_as.account.name}</strong> does. You can change and
        spend nothing.
      </Banner>
    </section>
  )
}
