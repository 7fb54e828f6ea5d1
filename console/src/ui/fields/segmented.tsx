import { Radio, RadioGroup } from 'react-aria-components/RadioGroup'
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
  return (
    <RadioGroup
      aria-label={label}
      value={value}
      onChange={(id) => onChange(id as Id)}
      orientation="horizontal"
      className={classNames('flex flex-wrap items-center justify-between gap-x-2 gap-y-1', className)}
    >
      {!isLabelHidden && <span aria-hidden>{label}</span>}
      <span className={classNames('flex rounded-md bg-sunken p-0.5', isLabelHidden && 'flex-1')}>
        {options.map((option) => (
          <Radio
            key={option.id}
            value={option.id}
            className={classNames(
              'flex h-6 pointer-coarse:h-9 flex-1 cursor-default items-center justify-center gap-1 rounded-sm px-2 text-muted text-xs whitespace-nowrap',
              'border border-transparent hover:text-text data-focus-visible:outline-2 data-focus-visible:outline-accent-text',
              'data-selected:border-line data-selected:bg-surface data-selected:font-medium data-selected:text-text',
            )}
          >
            {option.label}
            {option.hint && <span className="text-accent-text">{option.hint}</span>}
          </Radio>
        ))}
      </span>
    </RadioGroup>
  )
}
