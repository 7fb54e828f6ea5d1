import { classNames } from '../class-names.ts'

interface LegendProps {
  series: readonly { id: string; name: string; color: SeriesColor }[]
}

/** Which colour stands for what. */
export function Legend({ series }: LegendProps) {
  return (
    <ul aria-label="Legend" className="flex flex-wrap gap-x-4 gap-y-1 text-xs">
      {series.map(({ id, name, color }) => (
        <li key={id} className="flex min-w-0 items-center gap-2">
          <span aria-hidden className={classNames('size-2.5 shrink-0 rounded-sm', color.background)} />
          <span className="truncate">{name}</span>
        </li>
      ))}
    </ul>
  )
}

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
