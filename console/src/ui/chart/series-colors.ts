// Whole class names, so that Tailwind finds them. The last is for what is added up or unknown.
const colors = [
  { fill: 'fill-plot-1', background: 'bg-plot-1' },
  { fill: 'fill-plot-2', background: 'bg-plot-2' },
  { fill: 'fill-plot-3', background: 'bg-plot-3' },
  { fill: 'fill-plot-4', background: 'bg-plot-4' },
] as const
const restColor = { fill: 'fill-plot-5', background: 'bg-plot-5' } as const

export type SeriesColor = (typeof colors)[number] | typeof restColor

/** How many series get a colour of their own. */
export const ownColors = colors.length

export function colorOf(index: number): SeriesColor {
  return colors[index] ?? restColor
}
