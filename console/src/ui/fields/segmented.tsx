import { useId } from 'react'
import { classNames } from '../class-names.ts'
import type { Option } from './select.tsx'

interface SegmentedProps<Id extends string> {
  /** The name of the choice; shown in front of it unless hidden. */
  label: string
  isLabelHidden?: boolean
  options: readonly Option<Id>[]
  value: Id
  onChange: (value: Id) => void
  className?: string
}

/** One of two or three, side by side. The arrow keys change it. */
export function Segmented<Id extends string>(props: SegmentedProps<Id>) {
  const { label, isLabelHidden, options, value, onChange, className } = props
  const name = useId()
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className={classNames('flex flex-wrap items-center justify-between gap-x-2 gap-y-1', className)}
    >
      {!isLabelHidden && <span aria-hidden>{label}</span>}
      <span className={classNames('flex rounded-md bg-sunken p-0.5', isLabelHidden && 'flex-1')}>
        {options.map((option) => (
          <label
            key={option.id}
            className={classNames(
              'relative flex h-6 pointer-coarse:h-9 flex-1 cursor-default items-center justify-center gap-1 rounded-sm px-1.5 text-muted text-xs whitespace-nowrap',
              'border border-transparent hover:text-text has-focus-visible:outline-2 has-focus-visible:outline-accent-text',
              'has-checked:border-line has-checked:bg-surface has-checked:font-medium has-checked:text-text',
            )}
          >
            <input
              type="radio"
              name={name}
              value={option.id}
              checked={option.id === value}
              onChange={() => onChange(option.id)}
              className="absolute inset-0 m-0 cursor-default appearance-none outline-none"
            />
            {option.label}
            {option.hint && <span className="text-accent-text">{option.hint}</span>}
          </label>
        ))}
      </span>
    </div>
  )
}
