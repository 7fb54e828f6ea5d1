import { lazy, Suspense, useState } from 'react'
import { formatNumber } from '#lib/format.ts'
import { Button } from '#ui/actions/button.tsx'
import { Legend } from '#ui/chart/legend.tsx'
import { Num } from '#ui/data/relative-time.tsx'
import { Table, type TableColumn } from '#ui/data/table.tsx'
import { Skeleton } from '#ui/feedback/skeleton.tsx'
import { EmptyState } from '#ui/feedback/states.tsx'
import { Segmented } from '#ui/fields/segmented.tsx'
import type { DailyReply } from './api.ts'
import { type MeterPlot, plotName, plotsOf } from './daily-plots.ts'
import { type DayBucket, formatDays, unitOf } from './days.ts'

// The largest part of the page's code, and not needed for its figures.
const BarPlot = lazy(() => import('#ui/chart/bar-plot.tsx').then((module) => ({ default: module.BarPlot })))

interface DailyUsageProps {
  daily: DailyReply
  onChangeBy: (by: DailyReply['by']) => void
  /** The bar that the ledger is limited to. */
  bar: string | undefined
  onSelectBar: (bar: string | undefined) => void
  isOutdated: boolean
  /** Whether the days that were asked for begin before those that are kept one by one. */
  isCut: boolean
}

const divisions = [
  { id: 'meter', label: 'By meter' },
  { id: 'key', label: 'By key' },
  { id: 'person', label: 'By person' },
] as const

/** A plot of each meter over the days, and the same figures as a table. */
export function DailyUsage({ daily, onChangeBy, bar, onSelectBar, isOutdated, isCut }: DailyUsageProps) {
  const [isTable, setIsTable] = useState(false)
  const { buckets, plots, legend } = plotsOf(daily)
  const isEmpty = daily.series.length === 0
  const select = ({ id }: Pick<DayBucket, 'id'>) => onSelectBar(id === bar ? undefined : id)
  return (
    <div className="mt-6">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <h2 className="font-semibold text-lg">Spent by day</h2>
          <p className="text-muted text-xs">
            {formatDays(daily)}. {unitOf(daily) === 'day' ? '' : `A bar is a ${unitOf(daily)}. `}Days are in UTC.
            {isCut && ' Entries of earlier days are only in the CSV file.'}
          </p>
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <Segmented label="Divide the bars" isLabelHidden options={divisions} value={daily.by} onChange={onChangeBy} />
          <Button onPress={() => setIsTable(!isTable)} isDisabled={isEmpty}>
            {isTable ? 'Show as plot' : 'Show as table'}
          </Button>
        </div>
      </div>
      <div aria-busy={isOutdated} className={isOutdated ? 'opacity-85' : undefined}>
        {isEmpty ? (
          <div className="rounded-lg border border-line bg-surface">
            <EmptyState title="Nothing was spent in this period">
              Searches, exports and reveals appear here, whether by key or in the console.
            </EmptyState>
          </div>
        ) : isTable ? (
          <DailyTable buckets={buckets} plots={plots} isByMeter={daily.by === 'meter'} />
        ) : (
          <>
            <div className="grid gap-3 lg:grid-cols-3">
              {plots.map((plot) => (
                <PlotCard key={plot.meter} plot={plot} buckets={buckets} bar={bar} onSelect={select} />
              ))}
            </div>
            {legend.length > 0 && (
              <div className="mt-3">
                <Legend series={legend} />
              </div>
            )}
          </>
        )}
      </div>
    </div>
  )
}

interface PlotCardProps {
  plot: MeterPlot
  buckets: DayBucket[]
  bar: string | undefined
  onSelect: (bucket: Pick<DayBucket, 'id'>) => void
}

function PlotCard({ plot, buckets, bar, onSelect }: PlotCardProps) {
  return (
    <div className="min-w-0 rounded-lg border border-line bg-surface p-3">
      <div className="mb-2 flex items-baseline justify-between gap-2">
        <h3 className="font-medium">{plotName(plot)}</h3>
        <span className="text-muted">{formatNumber(plot.total)}</span>
      </div>
      <Suspense fallback={<Skeleton className="h-34" />}>
        <BarPlot label={plotName(plot)} buckets={buckets} series={plot.series} selected={bar} onSelect={onSelect} />
      </Suspense>
    </div>
  )
}

interface DailyTableProps {
  buckets: readonly DayBucket[]
  plots: readonly MeterPlot[]
  isByMeter: boolean
}

/** The figures of the plots; days without anything are left out. */
function DailyTable({ buckets, plots, isByMeter }: DailyTableProps) {
  const columns: TableColumn<DayBucket>[] = [
    { id: 'day', label: 'Days', className: 'whitespace-nowrap', render: ({ title }) => title },
    ...plots.flatMap((plot) =>
      plot.series.map((series) => ({
        id: `${plot.meter} ${series.id}`,
        label: isByMeter ? plotName(plot) : `${plotName(plot)}: ${series.name}`,
        align: 'end' as const,
        render: (bucket: DayBucket) => <Num value={series.values[buckets.indexOf(bucket)] ?? 0} />,
      })),
    ),
  ]
  const rows = buckets.filter((_, index) =>
    plots.some(({ series }) => series.some(({ values }) => (values[index] ?? 0) > 0)),
  )
  return <Table label="Spent by day" columns={columns} rows={rows} getId={({ id }) => id} className="max-h-96" />
}
