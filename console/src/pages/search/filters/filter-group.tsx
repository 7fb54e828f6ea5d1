import { ChevronRight } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { formatCount } from '#lib/format.ts'
import { classNames } from '#ui/class-names.ts'

interface FilterGroupProps {
  name: string
  /** How many of its values are chosen. */
  count: number
  /** Whether it is open at first. It is, too, while something in it is chosen. */
  isOpenAtFirst: boolean
  children: ReactNode
}

/** A part of the filter column. What is inside is drawn only while it is open. */
export function FilterGroup({ name, count, isOpenAtFirst, children }: FilterGroupProps) {
  const [choice, setChoice] = useState<boolean>()
  const id = useId()
  const isOpen = choice ?? (isOpenAtFirst || count > 0)
  return (
    // A fieldset would be the same to a screen reader, and harder to lay out.
    // biome-ignore lint/a11y/useSemanticElements: see above
    <div role="group" aria-labelledby={`${id}-name`} className="border-line border-b last:border-b-0">
      <h2>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={id}
          aria-describedby={count > 0 ? `${id}-count` : undefined}
          onClick={() => setChoice(!isOpen)}
          className="flex h-9 w-full cursor-default items-center gap-1.5 rounded-sm px-1 text-left font-medium -outline-offset-2 hover:bg-hover pointer-coarse:h-11"
        >
          <ChevronRight
            aria-hidden
            className={classNames('size-4 text-muted transition-transform', isOpen && 'rotate-90')}
          />
          <span id={`${id}-name`} className="flex-1">
            {name}
          </span>
          {count > 0 && (
            <span
              aria-hidden
              className="min-w-5 rounded-full bg-accent px-1.5 text-center font-medium text-on-accent text-xs leading-5"
            >
              {count}
            </span>
          )}
        </button>
      </h2>
      {count > 0 && (
        <span id={`${id}-count`} hidden>
          {formatCount(count, 'value')} chosen
        </span>
      )}
      <div id={id} hidden={!isOpen} className="px-1 pb-3">
        {isOpen && children}
      </div>
    </div>
  )
}
