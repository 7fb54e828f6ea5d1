import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useAccount, useIsAtLeast } from '#api/account.tsx'
import { failureProps } from '#api/failure.ts'
import { callQuery, pageQuery } from '#api/query.ts'
import { formatDay, formatNumber } from '#lib/format.ts'
import { Link } from '#ui/actions/link.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { Skeleton } from '#ui/feedback/skeleton.tsx'
import { ErrorState } from '#ui/feedback/states.tsx'
import type { Option } from '#ui/fields/select.tsx'
import { meterNames, type UsageReply } from './api.ts'
import { DailyUsage } from './daily-usage.tsx'
import { type DayRange, rangeOf, rangeOfBar } from './days.ts'
import { Ledger } from './ledger.tsx'
import type { UsageSearch } from './search.ts'
import { UsageControls } from './usage-controls.tsx'
import { UsageTiles, UsageTilesSkeleton } from './usage-tiles.tsx'

type Change = (changes: Partial<UsageSearch>) => void

export default function UsagePage() {
  const search = useSearch({ from: '/app/usage' })
  const navigate = useNavigate({ from: '/usage' })
  const { id: account } = useAccount()
  const [nowMs] = useState(() => Date.now())
  const mode = search.mode ?? 'live'
  const { data: usage, error, isFetching, refetch } = useQuery(callQuery('getUsage', { account, mode }))
  const range = rangeOf(search, usage, nowMs)
  // Other days, another bar or another filter start the ledger at its first page.
  const change: Change = (changes) => void navigate({ search: { ...search, cursor: undefined, ...changes } })
  return (
    <>
      <PageHeader
        title="Usage"
        description={usage && `Plan ${usage.plan.name}`}
        actions={<UsageControls search={search} range={range} onChange={change} />}
      />
      {usage ? (
        <div className="space-y-3">
          <UsageAlerts usage={usage} />
          <UsageTiles usage={usage} />
        </div>
      ) : error ? (
        <ErrorState {...failureProps(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
      ) : (
        <UsageTilesSkeleton />
      )}
      {range && <Spending account={account} search={search} range={range} onChange={change} />}
    </>
  )
}

interface SpendingProps {
  account: string
  search: UsageSearch
  range: DayRange
  onChange: Change
}

function Spending({ account, search, range, onChange }: SpendingProps) {
  const mode = search.mode ?? 'live'
  const by = search.by ?? 'meter'
  const daily = useQuery(pageQuery('getDailyUsage', { account, mode, by, ...range }))
  const spenders = useSpenders(account, { mode, ...range }, search.who)
  return (
    <>
      {daily.data ? (
        <DailyUsage
          daily={daily.data}
          onChangeBy={(next) => onChange({ by: next === 'meter' ? undefined : next, cursor: search.cursor })}
          bar={search.bar}
          onSelectBar={(bar) => onChange({ bar })}
          isOutdated={daily.isPlaceholderData}
          isCut={!daily.isPlaceholderData && daily.data.from > range.from}
        />
      ) : daily.error ? (
        <ErrorState {...failureProps(daily.error)} onRetry={() => void daily.refetch()} isRetrying={daily.isFetching} />
      ) : (
        <div className="mt-6">
          <Skeleton className="h-52 w-full" />
        </div>
      )}
      <Ledger
        account={account}
        filters={{
          mode,
          meter: search.meter,
          who: search.who,
          range: search.bar ? rangeOfBar(search.bar) : range,
        }}
        spenders={spenders}
        isBar={search.bar !== undefined}
        cursor={search.cursor}
        onFilter={onChange}
      />
    </>
  )
}

/** The keys of the account, and the users who spent in these days, to choose from. */
function useSpenders(
  account: string,
  days: DayRange & { mode: 'live' | 'test' },
  chosen: string | undefined,
): Option[] {
  const keys = useQuery(callQuery('listKeys', { account, limit: 100 })).data?.data ?? []
  const series = useQuery(pageQuery('getDailyUsage', { account, ...days, by: 'person' })).data?.series ?? []
  const users = new Map(series.flatMap(({ kind, id, name }) => (kind === 'person' && id ? [[id, name]] : [])))
  const options = [
    ...[...users].map(([id, label]) => ({ id, label, hint: 'person' })),
    ...keys.map(({ id, name }) => ({ id, label: name, hint: 'key' })),
  ]
  // The choice in the address stays, even if it is in neither list.
  return chosen && !options.some(({ id }) => id === chosen) ? [{ id: chosen, label: chosen }, ...options] : options
}

/** Says which meters are nearly or wholly used, and what to do about it. */
function UsageAlerts({ usage }: { usage: UsageReply }) {
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
