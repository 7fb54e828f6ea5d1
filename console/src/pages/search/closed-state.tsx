import { Link } from '@tanstack/react-router'
import { useAccount } from '#api/account.tsx'
import { buttonClass } from '#ui/actions/button.tsx'
import { linkClass } from '#ui/actions/link.tsx'
import { EmptyState } from '#ui/feedback/states.tsx'

interface ClosedStateProps {
  /** The name of the closed page: `Stores`. */
  what: string
  /** The sentence of the server, which knows why. */
  reason?: string
}

/** Explains what the state of a subscription closes. */
const standings: Record<string, string> = {
  canceled: 'has ended',
  past_due: 'waits for a payment',
  unpaid: 'waits for a payment',
  incomplete: 'waits for its first payment',
  incomplete_expired: 'was never paid',
  paused: 'is paused',
}

/** In place of a page that needs a plan with access. Says the way back, and what is open meanwhile. */
export function ClosedState({ what, reason }: ClosedStateProps) {
  const { plan } = useAccount()
  return (
    <EmptyState
      title={`${what} are closed`}
      actions={
        <Link to="/billing" className={buttonClass('primary')}>
          Go to Billing
        </Link>
      }
    >
      <p>{reason ?? `The plan ${plan.name} of this account ${standings[plan.status] ?? 'does not include them'}.`}</p>
      <p className="mt-1">
        Whom you have{' '}
        <Link to="/revealed" className={linkClass}>
          revealed
        </Link>{' '}
        you can see at any time.
      </p>
    </EmptyState>
  )
}
