/** Charts as SVG text. */

export const seriesColours = ['#0b6e4f', '#b5179e', '#d17b0f', '#2b59c3', '#6c757d', '#a4243b']

export function svg(title: string, width: number, height: number, parts: readonly string[]): string {
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13">`
  const paper = `<rect width="${width}" height="${height}" fill="#fff"/>`
  const name = `<title>${title}</title>`
  return `${[head, name, paper, text(20, 24, title, 'start'), ...parts, '</svg>'].join('\n')}\n`
}

const round = (value: number) => Math.round(value * 10) / 10

export function circle(x: number, y: number, radius: number, colour: string): string {
  return `<circle cx="${round(x)}" cy="${round(y)}" r="${radius}" fill="${colour}" fill-opacity="0.6"/>`
}

export function line(x1: number, y1: number, x2: number, y2: number, colour: string, thickness: number): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="${colour}" stroke-width="${thickness}"/>`
}

export function text(x: number, y: number, label: string, anchor: 'start' | 'middle' | 'end', colour = '#333'): string {
  const escaped = label.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" fill="${colour}">${escaped}</text>`
}

const [width, height, left, right, top, bottom] = [900, 360, 70, 30, 50, 310]
const legendWidth = 180

interface Series {
  label: string
  points: readonly (readonly [seconds: number, value: number])[]
}

/** A line chart of values over time, starting at zero. */
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
    const colour = seriesColours[index % seriesColours.length]!
    const at = points.map(([seconds, value]) => `${round(xOf(seconds))},${round(yOf(value))}`).join(' ')
    return [
      `<polyline points="${at}" fill="none" stroke="${colour}" stroke-width="1.5"/>`,
      text(end + 14, top + 14 + index * 18, label, 'start', colour),
    ]
  })
  return svg(`${title} (${unit})`, width, height, [...axes, ...lines])
}

/** Rounds up to 1, 2 or 5 times a power of ten. */
function roundUp(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= value)!
}

function clockOf(seconds: number): string {
  return seconds < 120 ? `${Math.round(seconds)} s` : `${(seconds / 60).toFixed(1)} min`
}
