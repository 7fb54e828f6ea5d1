import { ChevronRight } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import type { Chip } from '#lib/filters/chips.ts'
import { formatCount } from '#lib/format.ts'
import { classNames } from '#ui/class-names.ts'
import { useSingleStop } from '#ui/single-stop.ts'
import { groupPlaceAttribute } from './use-held-groups.ts'

interface FilterGroupProps {
  name: string
  /** Its number in the column. */
  place: number
  /** Its choice, in words. */
  chips: readonly Chip[]
  /** Open at first. It is, too, while something in it is chosen. */
  isOpenAtFirst: boolean
  children: ReactNode
}

/**
 * A part of the filter column, and one stop for Tab: the arrow keys move inside. What is inside is drawn only while it is open;
 * what is chosen is in sight also while it is closed.
 */
export function FilterGroup({ name, place, chips, isOpenAtFirst, children }: FilterGroupProps) {
  const [choice, setChoice] = useState<boolean>()
  const stop = useSingleStop('vertical')
  const id = useId()
  const count = chips.length
  const isOpen = choice ?? (isOpenAtFirst || count > 0)
  return (
    // A fieldset would be the same to a screen reader, and harder to lay out.
    // biome-ignore lint/a11y/useSemanticElements: see above
    <div
      ref={stop}
      {...{ [groupPlaceAttribute]: place }}
      role="group"
      aria-labelledby={`${id}-name`}
      className="border-line border-b last:border-b-0"
    >
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
      {count > 0 && !isOpen && <ChosenValues chips={chips} />}
      <div id={id} hidden={!isOpen} className="px-1 pb-3">
        {isOpen && children}
      </div>
    </div>
  )
}

const namedAtMost = 5

function ChosenValues({ chips }: { chips: readonly Chip[] }) {
  return (
    <p className="px-1 pb-2 pl-6.5 text-muted text-xs wrap-anywhere">
      {chips.slice(0, namedAtMost).map(({ key, prefix, label }, index) => (
        <span key={key}>
          {index > 0 && ', '}
          {prefix} <bdi>{label}</bdi>
        </span>
      ))}
      {chips.length > namedAtMost && ` +${chips.length - namedAtMost}`}
    </p>
  )
}
