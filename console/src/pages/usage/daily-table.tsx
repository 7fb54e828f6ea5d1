import { Num } from '#ui/data/relative-time.tsx'
import { Table, type TableColumn } from '#ui/data/table.tsx'
import { type MeterPlot, plotName } from './daily-plots.ts'
import type { DayBucket } from './days.ts'

interface DailyTableProps {
  buckets: readonly DayBucket[]
  plots: readonly MeterPlot[]
  isByMeter: boolean
}

/** The figures of the plots; days without anything are left out. */
export function DailyTable({ buckets, plots, isByMeter }: DailyTableProps) {
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
