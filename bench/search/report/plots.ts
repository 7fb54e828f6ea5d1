import { circle, line, seriesColours, svg, text } from '@storedex/testkit'

/** Charts on logarithmic scales, because the values span seven powers of ten. */

const [width, left, right, top, rowHeight, axisHeight] = [900, 210, 30, 40, 46, 50]
/** Size of a series label. */
const [labelWidth, labelHeight] = [190, 16]

interface Scale {
  of(value: number): number
  ticks: number[]
}

function logScale(values: readonly number[], from: number, to: number): Scale {
  const [low, high] = [Math.floor(Math.log10(Math.min(...values))), Math.ceil(Math.log10(Math.max(...values)))]
  const span = Math.max(high - low, 1)
  return {
    of: (value) => from + ((Math.log10(value) - low) / span) * (to - from),
    ticks: Array.from({ length: span + 1 }, (_, power) => 10 ** (low + power)),
  }
}

/** A row for each series, a dot for each value in milliseconds, and a line at the median. */
export function stripChart(title: string, series: readonly { label: string; values: readonly number[] }[]): string {
  const scale = logScale(
    series.flatMap(({ values }) => values),
    left,
    width - right,
  )
  const bottom = top + series.length * rowHeight
  const rows = series.map(({ label, values }, row) => {
    const middle = top + (row + 0.5) * rowHeight
    const colour = seriesColours[row % seriesColours.length]!
    const sorted = [...values].sort((a, b) => a - b)
    // Spread dots over seven lanes, so that equal values do not overlap.
    const dots = sorted.map((value, index) => circle(scale.of(value), middle + ((index % 7) - 3) * 4.5, 3, colour))
    const median = scale.of(sorted[sorted.length >> 1]!)
    return [
      text(left - 12, middle + 4, label, 'end'),
      ...dots,
      line(median, middle - 20, median, middle + 20, colour, 2),
    ]
  })
  const ticks = scale.ticks.flatMap((tick) => [
    line(scale.of(tick), top, scale.of(tick), bottom, '#ddd', 1),
    text(scale.of(tick), bottom + 18, duration(tick), 'middle'),
  ])
  return svg(title, width, bottom + axisHeight, [...ticks, ...rows.flat()])
}

/** A line for each series over the number of stores. */
export function growthChart(
  title: string,
  series: readonly { label: string; points: readonly (readonly [stores: number, ms: number])[] }[],
): string {
  const [bottom, end] = [440, width - right - labelWidth]
  const points = series.flatMap((one) => one.points)
  const sizes = [...new Set(points.map(([stores]) => stores))].sort((a, b) => a - b)
  const [smallest, largest] = [Math.log(sizes[0]!), Math.log(sizes.at(-1)!)]
  const xOf = (stores: number) => left + 40 + ((Math.log(stores) - smallest) / (largest - smallest)) * (end - left - 40)
  const y = logScale(
    points.map(([, ms]) => ms),
    bottom,
    top,
  )
  const lines = series.flatMap(({ points: ofSeries }, index) => {
    const colour = seriesColours[index % seriesColours.length]!
    const at = ofSeries.map(([stores, ms]) => [xOf(stores), y.of(ms)] as const)
    const strokes = at.slice(1).map(([toX, toY], from) => line(at[from]![0], at[from]![1], toX, toY, colour, 2))
    return [...strokes, ...at.map(([cx, cy]) => circle(cx, cy, 4, colour))]
  })
  const ends = series.map(({ label, points: ofSeries }, index) => ({ label, index, y: y.of(ofSeries.at(-1)![1]) }))
  let free = top
  const labels = ends
    .sort((a, b) => a.y - b.y)
    .map(({ label, index, y: wanted }) => {
      free = Math.max(wanted, free + labelHeight)
      return text(end + 12, free + 4, label, 'start', seriesColours[index % seriesColours.length]!)
    })
  return svg(title, width, bottom + axisHeight, [
    ...y.ticks.flatMap((tick) => [
      line(left, y.of(tick), end, y.of(tick), '#ddd', 1),
      text(left - 12, y.of(tick) + 4, duration(tick), 'end'),
    ]),
    ...sizes.map((stores) => text(xOf(stores), bottom + 20, stores.toLocaleString('en-US'), 'middle')),
    ...lines,
    ...labels,
  ])
}

function duration(ms: number): string {
  if (ms >= 1_000) return `${ms / 1_000} s`
  return ms >= 1 ? `${ms} ms` : `${Number((ms * 1_000).toPrecision(3))} µs`
}
