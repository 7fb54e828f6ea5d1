import { formatNumber } from '#lib/format.ts'

interface ProgressBarProps {
  /** The work in progress, such as `Revealing`. */
  label: string
  value: number
  max: number
  /** In place of `10 of 12`. */
  text?: string
}

/** `Revealing 10 of 12`, with a bar below. */
export function ProgressBar({ label, value, max, ...props }: ProgressBarProps) {
  const text = props.text ?? `${formatNumber(value)} of ${formatNumber(max)}`
  return (
    <div className="flex flex-col gap-2">
      <p aria-hidden className="flex justify-between gap-4">
        <span>{label}</span>
        <span>{text}</span>
      </p>
      <div
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuenow={value}
        aria-valuemax={max}
        aria-valuetext={text}
        className="h-2 overflow-hidden rounded-full bg-sunken"
      >
        <div
          className="h-full origin-left rounded-full bg-accent transition-transform"
          style={{ transform: `scaleX(${max > 0 ? value / max : 0})` }}
        />
      </div>
    </div>
  )
}
