import { colours, line, svg, text } from '../bench/support/svg.ts'

const [width, height, left, right, top, bottom] = [900, 360, 70, 30, 50, 310]
const legendWidth = 180

export interface Series {
  label: string
  points: readonly (readonly [seconds: number, value: number])[]
}

/** Values over time, from zero up. */
export function timeChart(title: string, unit: string, series: readonly Series[]): string {
  const all = series.flatMap(({ points }) => points)
  const [lastSecond, most] = [
    Math.max(1, ...all.map(([at]) => at)),
    roundUp(Math.max(...all.map(([, value]) => value))),
  ]
  const end = width - right - legendWidth
  const xOf = (seconds: number) => left + (seconds / lastSecond) * (end - left)
  const yOf = (value: number) => bottom - (value / most) * (bottom - top)
  const parts = [0, 0.25, 0.5, 0.75, 1]
  const axes = parts.flatMap((part) => [
    line(left, yOf(most * part), end, yOf(most * part), '#ddd', 1),
    text(left - 10, yOf(most * part) + 4, String(Number((most * part).toPrecision(3))), 'end'),
    text(xOf(lastSecond * part), bottom + 20, clockOf(lastSecond * part), 'middle'),
  ])
  const lines = series.flatMap(({ label, points }, index) => {
    const colour = colours[index % colours.length]!
    const at = points.map(([seconds, value]) => `${round(xOf(seconds))},${round(yOf(value))}`).join(' ')
    return [
      `<polyline points="${at}" fill="none" stroke="${colour}" stroke-width="1.5"/>`,
      text(end + 14, top + 14 + index * 18, label, 'start', colour),
    ]
  })
  return svg(`${title} (${unit})`, width, height, [...axes, ...lines])
}

/** The next number of the kind 1, 2 or 5 times a power of ten. */
function roundUp(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= value)!
}

function clockOf(seconds: number): string {
  return seconds < 120 ? `${Math.round(seconds)} s` : `${(seconds / 60).toFixed(1)} min`
}

const round = (value: number) => Math.round(value * 10) / 10
