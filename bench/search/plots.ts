/** Two charts as SVG, on logarithmic scales: what is compared spans seven powers of ten. */

const [width, left, right, top, rowHeight, axisHeight] = [900, 210, 30, 40, 46, 50]
/** What the names of series take beside a chart of lines. */
const [labelWidth, labelHeight] = [190, 16]
const colours = ['#0b6e4f', '#b5179e', '#d17b0f', '#2b59c3', '#6c757d', '#a4243b']

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

/** A row for each series and a dot for each of its values, in milliseconds; the line across is the median. */
export function stripChart(title: string, series: readonly { label: string; values: readonly number[] }[]): string {
  const scale = logScale(
    series.flatMap(({ values }) => values),
    left,
    width - right,
  )
  const bottom = top + series.length * rowHeight
  const rows = series.map(({ label, values }, row) => {
    const middle = top + (row + 0.5) * rowHeight
    const colour = colours[row % colours.length]!
    const sorted = [...values].sort((a, b) => a - b)
    // Dots of one row lie in seven lanes, so that equal ones can be told apart.
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
  return svg(title, bottom + axisHeight, [...ticks, ...rows.flat()])
}

/** A line for each series, from size to size. */
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
    const colour = colours[index % colours.length]!
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
      return text(end + 12, free + 4, label, 'start', colours[index % colours.length]!)
    })
  return svg(title, bottom + axisHeight, [
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

function svg(title: string, height: number, parts: readonly string[]): string {
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13">`
  const paper = `<rect width="${width}" height="${height}" fill="#fff"/>`
  const name = `<title>${title}</title>`
  return `${[head, name, paper, text(20, 24, title, 'start'), ...parts, '</svg>'].join('\n')}\n`
}

const round = (value: number) => Math.round(value * 10) / 10

function circle(x: number, y: number, radius: number, colour: string): string {
  return `<circle cx="${round(x)}" cy="${round(y)}" r="${radius}" fill="${colour}" fill-opacity="0.6"/>`
}

function line(x1: number, y1: number, x2: number, y2: number, colour: string, thickness: number): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="${colour}" stroke-width="${thickness}"/>`
}

function text(x: number, y: number, words: string, anchor: 'start' | 'middle' | 'end', colour = '#333'): string {
  const escaped = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" fill="${colour}">${escaped}</text>`
}
