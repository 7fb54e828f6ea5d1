import { AxisBottom, AxisLeft } from '@visx/axis'
import { scaleBand, scaleLinear } from '@visx/scale'
import { type KeyboardEvent, type PointerEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { formatNumber } from '#lib/format.ts'
import { type PlotBucket, type PlotSeries, partsOf, totalOf } from './plot-data.ts'
import { PlotTooltip } from './plot-tooltip.tsx'

interface BarPlotProps {
  /** The plotted quantity, such as `Contact credits`. */
  label: string
  buckets: readonly PlotBucket[]
  /** Stacked in this order, from below. */
  series: readonly PlotSeries[]
  /** A press on a bar, or Enter. */
  onSelect?: (bucket: PlotBucket) => void
  /** The bucket that is selected. */
  selected?: string | undefined
}

const height = 136
const margin = { top: 6, right: 8, bottom: 20, left: 40 }
const tickClass = 'fill-muted text-[0.6875rem]'
const pxPerLabel = 48

/**
 * Bars over days. The arrow keys move from bar to bar, and a screen reader says what each holds; a table beside it has the
 * same figures.
 */
export function BarPlot({ label, buckets, series, onSelect, selected }: BarPlotProps) {
  const [frame, width] = useWidth<HTMLDivElement>()
  const [active, setActive] = useState<number>()
  const isEmpty = series.length === 0
  const totals = buckets.map((_, index) => totalOf(series, index))
  const x = scaleBand({
    domain: buckets.map(({ id }) => id),
    range: [margin.left, width - margin.right],
    padding: 0.25,
  })
  const y = scaleLinear({ domain: [0, Math.max(...totals, 1)], range: [height - margin.bottom, margin.top], nice: 3 })
  const labelEvery = Math.max(1, Math.ceil((buckets.length * pxPerLabel) / Math.max(1, width - margin.left)))
  const labelled = buckets.filter((_, index) => index % labelEvery === 0)
  const current = active ?? buckets.length - 1

  const bucketAt = (event: PointerEvent<SVGElement>) => {
    const offset = event.clientX - event.currentTarget.getBoundingClientRect().left - margin.left
    const index = Math.floor((offset / (width - margin.left - margin.right)) * buckets.length)
    return index >= 0 && index < buckets.length ? index : undefined
  }
  const press = (event: KeyboardEvent) => {
    const target = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: buckets.length - 1 }[event.key]
    const bucket = buckets[current]
    if (event.key === 'Enter' && bucket) onSelect?.(bucket)
    if (event.key === 'Escape') setActive(undefined)
    if (target === undefined) return
    event.preventDefault()
    setActive(Math.max(0, Math.min(buckets.length - 1, target)))
  }

  return (
    <div ref={frame} className="relative min-w-0">
      <div
        role="slider"
        tabIndex={0}
        aria-label={`${label} by day`}
        aria-valuemin={0}
        aria-valuemax={buckets.length - 1}
        aria-valuenow={current}
        aria-valuetext={describeBucket(buckets, series, current)}
        aria-orientation="horizontal"
        onKeyDown={press}
        onFocus={() => setActive((before) => before ?? buckets.length - 1)}
        onBlur={() => setActive(undefined)}
        className="rounded-sm"
      >
        <svg
          width="100%"
          height={height}
          aria-hidden
          className="block overflow-visible"
          onPointerMove={(event) => setActive(bucketAt(event))}
          onPointerLeave={() => setActive(undefined)}
          onClick={() => active !== undefined && buckets[active] && onSelect?.(buckets[active])}
        >
          {width > 0 && (
            <>
              <AxisLeft
                scale={y}
                left={margin.left}
                numTicks={isEmpty ? 1 : 3}
                hideAxisLine
                hideTicks
                tickFormat={(value) => formatTick(Number(value))}
                tickLabelProps={() => ({ className: tickClass, textAnchor: 'end', dx: -4, dy: 4 })}
              />
              {y.ticks(isEmpty ? 1 : 3).map((value) => (
                <line
                  key={value}
                  x1={margin.left}
                  x2={width - margin.right}
                  y1={y(value)}
                  y2={y(value)}
                  className="stroke-line"
                />
              ))}
              {isEmpty && (
                <text
                  x={(margin.left + width) / 2}
                  y={(height - margin.bottom) / 2}
                  className={tickClass}
                  textAnchor="middle"
                >
                  Nothing in these days
                </text>
              )}
              {buckets.map(({ id }, index) => (
                <g key={id}>
                  {(index === active || id === selected) && (
                    <rect
                      x={(x(id) ?? 0) - (x.step() - x.bandwidth()) / 2}
                      width={x.step()}
                      y={margin.top}
                      height={height - margin.top - margin.bottom}
                      className={id === selected ? 'fill-accent-soft' : 'fill-hover'}
                    />
                  )}
                  <Stack series={series} index={index} x={x(id) ?? 0} width={x.bandwidth()} y={y} />
                </g>
              ))}
              <AxisBottom
                scale={x}
                top={height - margin.bottom}
                tickValues={labelled.map(({ id }) => id)}
                tickFormat={(id) => buckets.find((bucket) => bucket.id === id)?.label ?? ''}
                hideTicks
                axisLineClassName="stroke-control/60"
                tickLabelProps={() => ({ className: tickClass, textAnchor: 'middle', dy: -2 })}
              />
            </>
          )}
        </svg>
      </div>
      {active !== undefined && buckets[active] && width > 0 && (
        <PlotTooltip
          title={buckets[active].title}
          parts={partsOf(series, active)}
          total={totals[active] ?? 0}
          isSingle={series.length === 1}
          center={(x(buckets[active].id) ?? 0) + x.bandwidth() / 2}
          frameWidth={width}
        />
      )}
    </div>
  )
}

interface StackProps {
  series: readonly PlotSeries[]
  index: number
  x: number
  width: number
  y: (value: number) => number
}

function Stack({ series, index, x, width, y }: StackProps) {
  let below = 0
  return series.map((each) => {
    const value = each.values[index] ?? 0
    if (value === 0) return null
    const [bottom, top] = [y(below), y(below + value)]
    below += value
    // Even a small amount has to be seen.
    const shown = Math.max(bottom - top, 1)
    return (
      <rect
        key={each.id}
        x={x}
        width={Math.max(width, 1)}
        y={bottom - shown}
        height={shown}
        className={each.color.fill}
      />
    )
  })
}

function describeBucket(buckets: readonly PlotBucket[], series: readonly PlotSeries[], index: number): string {
  const bucket = buckets[index]
  if (!bucket) return 'Nothing'
  const parts = partsOf(series, index)
  const details = series.length > 1 ? parts.map(({ name, value }) => `${name} ${formatNumber(value)}`) : []
  return [`${bucket.title}: ${formatNumber(totalOf(series, index))}`, ...details].join(', ')
}

function formatTick(value: number): string {
  return Number.isInteger(value) ? formatNumber(value, { notation: 'compact' }) : ''
}

/** The width of an element in pixels; 0 before it is known. */
function useWidth<Element extends HTMLElement>(): [RefObject<Element | null>, number] {
  const element = useRef<Element>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    if (!element.current) return
    setWidth(element.current.clientWidth)
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width))
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return [element, width]
}
