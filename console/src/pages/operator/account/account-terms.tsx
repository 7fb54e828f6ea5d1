import { useState } from 'react'
import { formatDay, formatNumber, formatTime } from '#lib/format.ts'
import { Button } from '#ui/actions/button.tsx'
import { Badge } from '#ui/data/badge.tsx'
import { RelativeTime } from '#ui/data/relative-time.tsx'
import type { AccountDetails } from '../api.ts'
import { Facts, none } from '../facts.tsx'
import { limitNames, planNames, stateOf, wordsOf } from '../labels.ts'
import { ChangeLimitsDialog, ChangeTermsDialog } from './change-dialogs.tsx'

/** The terms of the account: plan, billing and limits, with the ways to change them. */
export function AccountTerms({ details }: { details: AccountDetails }) {
  const { account, billing, limits } = details
  const [isChanging, setIsChanging] = useState<'terms' | 'limits' | null>(null)
  const close = () => setIsChanging(null)
  const state = stateOf(account)
  const isClosed = account.closed_at !== null
  const closedReason = isClosed ? 'The account is closed; that is permanent.' : undefined
  return (
    <div className="grid gap-4 lg:grid-cols-3">
      <Facts
        title="Plan"
        action={
          <Button isSmall disabledReason={closedReason} onPress={() => setIsChanging('terms')}>
            Change plan
          </Button>
        }
        facts={[
          ['Plan', planNames[account.plan]],
          [
            'Status',
            <Badge key="state" tone={state.tone}>
              {state.label}
            </Badge>,
          ],
          ['Access', account.api_access ? 'Open' : 'Closed'],
          ['Trial ends', account.trial_ends_at ? formatTime(account.trial_ends_at) : none],
          ...(account.suspended_at
            ? [['Suspended', <RelativeTime key="suspended" time={account.suspended_at} />] as const]
            : []),
          ...(account.closed_at ? [['Closed', <RelativeTime key="closed" time={account.closed_at} />] as const] : []),
          ['Created', <RelativeTime key="created" time={account.created_at} />],
        ]}
      />
      <Facts
        title="Billing"
        facts={[
          ['Subscription', subscriptionWords(billing)],
          ['Billed', account.billing ? wordsOf(account.billing) : none],
          ['Paid until', billing.current_period_end ? formatDay(billing.current_period_end) : none],
          ['Ends then', billing.cancel_at_period_end ? 'Yes' : 'No'],
          ['Months start', formatDay(account.period_start)],
          ...(billing.problem
            ? [
                [
                  'Problem',
                  <Badge key="problem" tone="danger">
                    {wordsOf(billing.problem)}
                  </Badge>,
                ] as const,
              ]
            : []),
        ]}
      />
      <Facts
        title="Limits"
        action={
          <Button isSmall disabledReason={closedReason} onPress={() => setIsChanging('limits')}>
            Change limits
          </Button>
        }
        facts={Object.entries(limits).map(([meter, figure]) => [
          limitNames[meter] ?? wordsOf(meter),
          <span key={meter} className="inline-flex items-center gap-2">
            {meter in account.limits && <Badge tone="accent">Override</Badge>}
            {formatNumber(figure)}
          </span>,
        ])}
      />
      <ChangeTermsDialog account={account} isOpen={isChanging === 'terms'} onClose={close} />
      <ChangeLimitsDialog details={details} isOpen={isChanging === 'limits'} onClose={close} />
    </div>
  )
}

function subscriptionWords({ has_subscription: hasSubscription, has_customer: isCustomer }: AccountDetails['billing']) {
  if (hasSubscription) return 'At the payment provider'
  return isCustomer ? 'None; a customer of the provider' : 'None; granted by hand'
}
