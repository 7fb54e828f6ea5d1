import { formatDay, formatNumber } from '#lib/format.ts'
import { Tile, Tiles } from '#ui/data/tile.tsx'
import { Skeleton } from '#ui/feedback/skeleton.tsx'
import type { UsageReply } from './api.ts'
import { meterNames } from './api.ts'

/** Usage, balance and end of the period of each meter. */
export function UsageTiles({ usage }: { usage: UsageReply }) {
  const { contact_credits: credits, store_exports, search_rows, api_requests, plan } = usage
  return (
    <Tiles>
      <MeterTile
        label={meterNames.contact_credits}
        figures={{ ...credits, limit: credits.total }}
        note={plan.trial.active ? ` of this trial; ${formatNumber(credits.paid_plan_total)} a month on the plan` : ''}
      />
      <MeterTile label={meterNames.store_exports} figures={store_exports} />
      <MeterTile label={meterNames.search_rows} figures={search_rows} />
      <Tile
        label="API requests today"
        value={api_requests.used}
        limit={api_requests.limit}
        note={`${formatNumber(api_requests.remaining)} left until midnight UTC`}
      />
    </Tiles>
  )
}

interface MeterTileProps {
  label: string
  figures: { limit: number; used: number; remaining: number; period_end: string }
  note?: string
}

function MeterTile({ label, figures, note = '' }: MeterTileProps) {
  const { limit, used, remaining, period_end } = figures
  // Reserved by running exports, returned if unused.
  const reserved = Math.max(0, limit - used - remaining)
  const claim = reserved > 0 ? `; ${formatNumber(reserved)} reserved by a running export` : ''
  if (limit === 0) return <Tile label={label} value={used} note="Not part of the current plan" />
  return (
    <Tile
      label={label}
      value={used}
      limit={limit}
      note={`${formatNumber(remaining)} left until ${formatDay(period_end)}${note}${claim}`}
    />
  )
}

export function UsageTilesSkeleton() {
  return (
    <Tiles>
      {['contact_credits', 'store_exports', 'search_rows', 'api_requests'].map((meter) => (
        <div key={meter} className="rounded-lg border border-line bg-surface p-4">
          <Skeleton className="w-24" />
          <Skeleton className="mt-2 h-6 w-32" />
          <Skeleton className="mt-3 h-1.5 w-full" />
          <Skeleton className="mt-3 h-3 w-40" />
        </div>
      ))}
    </Tiles>
  )
}
