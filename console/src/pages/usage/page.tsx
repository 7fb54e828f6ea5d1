import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useAccount } from '#api/account.tsx'
import { failureProps } from '#api/failure.ts'
import { callQuery, pageQuery } from '#api/query.ts'
import { PageHeader } from '#ui/data/page-header.tsx'
import { ErrorState } from '#ui/feedback/error-state.tsx'
import { Skeleton } from '#ui/feedback/skeleton.tsx'
import type { Option } from '#ui/fields/select.tsx'
import { DailyUsage } from './daily-usage.tsx'
import { type DayRange, rangeOf, rangeOfBar } from './days.ts'
import { Ledger } from './ledger.tsx'
import type { UsageSearch } from './search.ts'
import { UsageAlerts } from './usage-alerts.tsx'
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
  // Other days, another bar or another filter begin the ledger anew.
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
  // What the address names stays chosen, even if it is in neither list.
  return chosen && !options.some(({ id }) => id === chosen) ? [{ id: chosen, label: chosen }, ...options] : options
}
