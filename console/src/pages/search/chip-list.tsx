import { X } from 'lucide-react'
import type { Chip } from '#lib/filters/chips.ts'
import type { Filters } from '#lib/filters/url.ts'
import { Button } from '#ui/actions/button.tsx'
import { classNames } from '#ui/class-names.ts'
import { useSingleStop } from '#ui/single-stop.ts'

interface ChipListProps {
  chips: readonly Chip[]
  onChange: (filters: Filters) => void
  isCentered?: boolean
}

/** The set filters in words. Each is a button that removes it; together they are one stop for Tab. */
export function ChipList({ chips, onChange, isCentered }: ChipListProps) {
  const stop = useSingleStop('both')
  if (chips.length === 0) return null
  return (
    <ul
      ref={stop}
      aria-label="Filters"
      className={classNames('flex min-w-0 flex-wrap items-center gap-1.5', isCentered && 'justify-center')}
    >
      {chips.map(({ key, prefix, label, without }) => (
        <li key={key} className="max-w-full">
          <button
            type="button"
            onClick={() => onChange(without)}
            className="group flex min-h-6 max-w-full cursor-default items-center gap-1 rounded-md border border-line bg-surface py-0.5 pr-1 pl-2 hover:bg-hover pointer-coarse:min-h-10"
          >
            <span className="sr-only">Remove</span>
            {prefix && <span className="whitespace-nowrap text-muted">{prefix}</span>}
            <bdi className="min-w-0 truncate">{label}</bdi>
            <X aria-hidden className="size-3.5 shrink-0 text-muted group-hover:text-text" />
          </button>
        </li>
      ))}
      <li>
        <Button variant="quiet" isSmall onPress={() => onChange({})}>
          Clear all
        </Button>
      </li>
    </ul>
  )
}
