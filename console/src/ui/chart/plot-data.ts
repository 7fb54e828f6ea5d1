import type { SeriesColor } from './legend.tsx'

/** A place on the axis, such as a day. */
export interface PlotBucket {
  id: string
  /** On the axis, such as `3`. */
  label: string
  /** In full, such as `3 November 2026`. */
  title: string
}

export interface PlotSeries {
  id: string
  name: string
  color: SeriesColor
  /** One for each bucket. */
  values: readonly number[]
}

/** The values of a bucket, from the largest; empty series are omitted. */
export function partsOf(
  series: readonly PlotSeries[],
  index: number,
): { name: string; series: PlotSeries; value: number }[] {
  return series
    .map((each) => ({ name: each.name, series: each, value: each.values[index] ?? 0 }))
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value)
}

export function totalOf(series: readonly PlotSeries[], index: number): number {
  return series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0)
}
