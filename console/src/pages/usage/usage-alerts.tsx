import { useIsAtLeast } from '#api/account.tsx'
import { formatDay, formatNumber } from '#lib/format.ts'
import { Link } from '#ui/actions/link.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import type { UsageReply } from './api.ts'
import { meterNames } from './api.ts'

/** Says which meters are nearly or wholly used, and what to do about it. */
export function UsageAlerts({ usage }: { usage: UsageReply }) {
  const isOwner = useIsAtLeast('owner')
  return usage.alerts.map(({ meter, level }) => (
    <Banner key={meter} tone={level === 100 ? 'danger' : 'warning'}>
      <strong className="font-medium">{headlineOf(usage, meter)}</strong> {consequenceOf(usage, meter)}{' '}
      {meter !== 'api_requests' &&
        (isOwner ? <Link href="/billing">Go to Billing</Link> : 'An owner can change the plan.')}
    </Banner>
  ))
}

type Alert = UsageReply['alerts'][number]

function headlineOf(usage: UsageReply, meter: Alert['meter']): string {
  const { remaining } = usage[meter]
  const limit = meter === 'contact_credits' ? usage.contact_credits.total : usage[meter].limit
  const name = meter === 'api_requests' ? 'API requests of today' : meterNames[meter].toLowerCase()
  return remaining === 0
    ? `All ${formatNumber(limit)} ${name} are used.`
    : `${formatNumber(remaining)} of ${formatNumber(limit)} ${name} are left.`
}

function consequenceOf(usage: UsageReply, meter: Alert['meter']): string {
  if (meter === 'api_requests') return 'They begin anew at midnight UTC.'
  if (meter === 'contact_credits' && usage.plan.trial.active)
    return `Ending the trial gives the ${formatNumber(usage.contact_credits.paid_plan_total)} of the plan.`
  return `New ones come on ${formatDay(usage[meter].period_end)}; a higher plan has more at once.`
}
