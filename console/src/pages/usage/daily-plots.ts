import { colorOf, ownColors } from '#ui/chart/legend.tsx'
import type { PlotSeries } from '#ui/chart/plot-data.ts'
import type { DailyReply } from './api.ts'
import { meterNames } from './api.ts'
import { bucketsOf, type DayBucket } from './days.ts'
import { type Meter, meters } from './search.ts'

/** One plot a meter: their amounts differ too much for a common axis. */
export interface MeterPlot {
  meter: Meter
  total: number
  series: PlotSeries[]
}

export interface DailyPlots {
  buckets: DayBucket[]
  plots: MeterPlot[]
  /** The series of all plots, with one colour each. */
  legend: Omit<PlotSeries, 'values'>[]
}

type Series = DailyReply['series'][number]

const restId = 'others'

/** The four who spent most have a colour of their own in every plot; all others share one. */
export function plotsOf(reply: DailyReply): DailyPlots {
  const buckets = bucketsOf(reply)
  const named = rankSeries(reply)
  const legend = named.slice(0, ownColors).map(({ id, name }, index) => ({ id, name, color: colorOf(index) }))
  if (named.length > ownColors || reply.series.some(({ kind }) => kind === 'others'))
    legend.push({ id: restId, name: 'Others', color: colorOf(ownColors) })
  const plots = meters.map((meter) => {
    const ofMeter = reply.series.filter((each) => each.meter === meter)
    const series = legend
      .map((each) => ({
        ...each,
        values: sumBuckets(
          buckets,
          ofMeter.filter((one) => legendIdOf(legend, one) === each.id),
        ),
      }))
      .filter(({ values }) => values.some((value) => value > 0))
    return { meter, series, total: ofMeter.reduce((sum, one) => sum + totalOfDays(one), 0) }
  })
  return { buckets, plots, legend: reply.by === 'meter' ? [] : legend }
}

/** The same id for the same spender in each meter; by meter, all are one series. */
function idOf({ kind, id }: Series): string {
  return id ?? kind
}

function legendIdOf(legend: DailyPlots['legend'], series: Series): string {
  const id = idOf(series)
  return legend.some((each) => each.id === id) ? id : restId
}

/** By their share of each meter, so that the meter with the largest numbers does not decide alone. */
function rankSeries({ series }: DailyReply): { id: string; name: string }[] {
  const totals = new Map<Meter, number>()
  for (const each of series) totals.set(each.meter, (totals.get(each.meter) ?? 0) + totalOfDays(each))
  const shares = new Map<string, { id: string; name: string; share: number }>()
  for (const each of series) {
    if (each.kind === 'others') continue
    const id = idOf(each)
    const share = totalOfDays(each) / totals.get(each.meter)!
    shares.set(id, { id, name: each.kind === 'meter' ? 'All' : each.name, share: (shares.get(id)?.share ?? 0) + share })
  }
  return [...shares.values()].sort((a, b) => b.share - a.share)
}

function totalOfDays({ days }: Series): number {
  return days.reduce((sum, { amount }) => sum + amount, 0)
}

function sumBuckets(buckets: readonly DayBucket[], series: readonly Series[]): number[] {
  const days = series.flatMap((each) => each.days)
  return buckets.map(({ from, to }) =>
    days.reduce((sum, { day, amount }) => (day >= from && day <= to ? sum + amount : sum), 0),
  )
}

export const plotName = ({ meter }: MeterPlot): string => meterNames[meter]
