import { useId } from 'react'
import { classNames } from '../class-names.ts'
import type { Option } from './select.tsx'

interface RadioTilesProps<Id extends string> {
  label: string
  options: readonly Option<Id>[]
  value: Id
  onChange: (value: Id) => void
}

/** One of a few, all in sight, with a line about each. The arrow keys change it. */
export function RadioTiles<Id extends string>({ label, options, value, onChange }: RadioTilesProps<Id>) {
  const name = useId()
  return (
    <div role="radiogroup" aria-labelledby={name} className="flex flex-col gap-1">
      <span id={name} className="font-medium">
        {label}
      </span>
      <div className="grid grid-cols-2 gap-2 sm:grid-cols-[repeat(auto-fit,minmax(9rem,1fr))]">
        {options.map(({ id, label: title, description }) => (
          <label
            key={id}
            className={classNames(
              'relative flex min-h-8 min-w-0 cursor-default flex-col rounded-md border border-line bg-surface px-3 py-1.5 transition-colors',
              'hover:border-control has-checked:border-accent has-checked:bg-accent-soft/50',
              'has-focus-visible:outline-2 has-focus-visible:outline-accent-text has-focus-visible:outline-offset-1',
            )}
          >
            <input
              type="radio"
              name={name}
              value={id}
              checked={id === value}
              onChange={() => onChange(id)}
              className="absolute inset-0 m-0 cursor-default appearance-none rounded-md outline-none"
            />
            <span className="font-medium">{title}</span>
            {description && <span className="text-muted text-xs">{description}</span>}
          </label>
        ))}
      </div>
    </div>
  )
}
