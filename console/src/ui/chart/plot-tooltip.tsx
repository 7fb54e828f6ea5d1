import { formatNumber } from '#lib/format.ts'
import { classNames } from '../class-names.ts'
import type { PlotSeries } from './plot-data.ts'

interface PlotTooltipProps {
  title: string
  parts: readonly { name: string; series: PlotSeries; value: number }[]
  total: number
  /** There is one series, which needs no name. */
  isSingle: boolean
  /** Of the bar, in pixels from the left. */
  center: number
  frameWidth: number
}

const width = 192

/** The figures of the bar that is pointed at. Screen readers get them from the plot itself. */
export function PlotTooltip({ title, parts, total, isSingle, center, frameWidth }: PlotTooltipProps) {
  const left = Math.max(0, Math.min(frameWidth - width, center - width / 2))
  return (
    <div
      aria-hidden
      className="pointer-events-none absolute bottom-full z-20 w-48 rounded-md bg-surface px-3 py-2 text-xs shadow-overlay"
      style={{ left }}
    >
      <Line name={title} value={total} isStrong />
      {!isSingle &&
        parts.map(({ name, series, value }) => (
          <Line key={series.id} name={name} value={value} swatch={series.color.background} />
        ))}
    </div>
  )
}

function Line({ name, value, swatch, isStrong }: { name: string; value: number; swatch?: string; isStrong?: boolean }) {
  return (
    <div className={classNames('flex items-center gap-2 py-0.5', isStrong && 'font-medium')}>
      {swatch && <span className={classNames('size-2 shrink-0 rounded-sm', swatch)} />}
      <span className="min-w-0 flex-1 truncate">{name}</span>
      <span>{formatNumber(value)}</span>
    </div>
  )
}
