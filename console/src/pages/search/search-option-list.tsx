import { ArrowRight, CornerDownLeft, PenLine, Plus } from 'lucide-react'
import type { SearchOption, SearchOptions } from '#lib/filters/search-text/search-options.ts'
import { classNames } from '#ui/class-names.ts'
import { optionClass } from '#ui/overlays/popover.tsx'

export { searchOptions } from '#lib/filters/search-text/search-options.ts'

interface SearchOptionListProps extends SearchOptions {
  /** The id of the list; those of its options have their number behind it. */
  id: string
  marked: number
  onMark: (index: number) => void
  onChoose: (option: SearchOption) => void
}

/** The meanings of the words in the search field. The field keeps the focus and marks one of them. */
export function SearchOptionList({ id, options, notes, marked, onMark, onChoose }: SearchOptionListProps) {
  return (
    <>
      <div id={id} role="listbox" tabIndex={-1} aria-label="Suggestions" className="p-1 empty:hidden">
        {options.map((option, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and hears the keys
          <div
            key={option.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === marked}
            tabIndex={-1}
            data-focused={index === marked || undefined}
            ref={index === marked ? scrollIntoView : undefined}
            onPointerMove={() => onMark(index)}
            // The field keeps the focus.
            onPointerDown={(event) => event.preventDefault()}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onChoose(option)}
            className={classNames(optionClass, option.chips && 'items-start')}
          >
            <Icon option={option} />
            {option.chips ? <WordChips chips={option.chips} /> : <bdi className="min-w-0 flex-1">{option.label}</bdi>}
            <span className="max-w-40 truncate text-muted text-xs">
              {option.chips ? <CornerDownLeft aria-hidden className="m-1" /> : option.hint}
            </span>
          </div>
        ))}
      </div>
      <div role="status" className="flex flex-col gap-1 px-3 pb-2 text-muted empty:hidden">
        {options.length === 0 && (
          <p className="pt-2">No filter has this name. Type the domain of a store to open it, such as shop.example.</p>
        )}
        {options.length > 0 && notes.map((note) => <p key={note}>{note}</p>)}
      </div>
    </>
  )
}

function Icon({ option: { host, filters, chips } }: { option: SearchOption }) {
  const look = classNames('text-muted', chips && 'mt-1')
  if (host) return <ArrowRight aria-hidden className={look} />
  return filters ? <Plus aria-hidden className={look} /> : <PenLine aria-hidden className={look} />
}

function WordChips({ chips }: Required<Pick<SearchOption, 'chips'>>) {
  return (
    <span className="flex min-w-0 flex-1 flex-wrap gap-1">
      {chips.map(({ key, prefix, label }) => (
        <span key={key} className="max-w-full truncate rounded-md border border-line bg-surface px-1.5">
          {prefix && <span className="text-muted">{prefix} </span>}
          <bdi>{label}</bdi>
        </span>
      ))}
    </span>
  )
}

function scrollIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' })
}
