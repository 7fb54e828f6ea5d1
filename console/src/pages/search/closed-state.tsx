import { useAccount } from '#api/account.tsx'
import { Link } from '#ui/actions/link.tsx'
import { EmptyState } from '#ui/feedback/empty-state.tsx'

interface ClosedStateProps {
  /** What is closed, at the beginning of a sentence. */
  what: string
  /** The sentence of the server, which knows why. */
  reason?: string
}

/** In place of a page that needs a plan with access. Says the way back, and what is open meanwhile. */
export function ClosedState({ what, reason }: ClosedStateProps) {
  const { plan } = useAccount()
  return (
    <EmptyState
      title={`${what} closed`}
      actions={
        <Link href="/billing" className="font-medium">
          Go to Billing
        </Link>
      }
    >
      <p>{reason ?? `The plan ${plan.name} of this account is not active.`}</p>
      <p className="mt-1">
        Billing shows how to go on. Whom you have <Link href="/revealed">revealed</Link> you can see at any time.
      </p>
    </EmptyState>
  )
}
