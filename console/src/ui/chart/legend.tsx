import { classNames } from '../class-names.ts'
import type { SeriesColor } from './series-colors.ts'

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
