import { Search, X } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { markOutdatedOrOffline } from '#api/connection.ts'
import type { FilterFields } from '#lib/filters/fields.ts'
import type { SearchOption } from '#lib/filters/search-text/search-options.ts'
import type { Taxonomy } from '#lib/filters/taxonomy.ts'
import type { Filters } from '#lib/filters/url.ts'
import { classNames } from '#ui/class-names.ts'
import { inputClass } from '#ui/fields/field.tsx'

// The grammar is loaded when the field gets the focus.
const loadOptions = () => import('./search-option-list.tsx')
type Loaded = Awaited<ReturnType<typeof loadOptions>>

interface SearchBoxProps {
  fields: FilterFields
  filters: Filters
  taxonomy: Taxonomy | undefined
  onFilter: (filters: Filters) => void
  onOpenStore: (domain: string) => void
}

/** Words that become filters, and the domain of a store to open. What is not understood stays in the field. */
export function SearchBox({ fields, filters, taxonomy, onFilter, onOpenStore }: SearchBoxProps) {
  const [text, setText] = useState('')
  const [marked, setMarked] = useState(0)
  const [hasFocus, setHasFocus] = useState(false)
  const [loaded, setLoaded] = useState<Loaded>()
  const id = useId()
  const change = (next: string) => {
    setText(next)
    setMarked(0)
  }
  const load = () => loadOptions().then(setLoaded, () => void markOutdatedOrOffline())
  const optionsBy = ({ searchOptions }: Loaded) =>
    taxonomy ? searchOptions(fields, filters, taxonomy, text) : { options: [], notes: [] }
  const found = loaded && optionsBy(loaded)
  const choose = (option: SearchOption | undefined) => {
    if (!option) return
    change(option.text)
    if (option.host) onOpenStore(option.host)
    if (option.filters) onFilter(option.filters)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const count = found?.options.length ?? 0
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    // Enter may end the input of a letter in another script.
    if (event.nativeEvent.isComposing) return
    if (step && count > 0) setMarked((marked + step + count) % count)
    else if (event.key === 'Enter' && found) choose(found.options[marked])
    // Enter may come before the file with the options has loaded.
    else if (event.key === 'Enter') void loadOptions().then((module) => choose(optionsBy(module).options[0]))
    else if (event.key === 'Escape' && text !== '') change('')
    else return
    event.preventDefault()
  }
  const isOpen = hasFocus && text.trim() !== '' && found !== undefined
  const markedId = isOpen && found.options.length > 0 ? `${id}-${marked}` : undefined
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hears whether the focus is inside
    <div
      className="group relative flex w-full items-center sm:w-96"
      onFocus={() => {
        setHasFocus(true)
        if (!loaded) void load()
      }}
      onBlur={({ currentTarget, relatedTarget }) => setHasFocus(currentTarget.contains(relatedTarget))}
    >
      <Search aria-hidden className="pointer-events-none absolute left-2 size-4 text-muted" />
      <input
        type="search"
        aria-label="Search"
        aria-autocomplete="list"
        aria-controls={isOpen ? id : undefined}
        aria-activedescendant={markedId}
        autoComplete="off"
        spellCheck={false}
        maxLength={500}
        placeholder={`Domain, or ${'roles' in fields ? 'marketing' : 'klaviyo'} not yotpo 100k+`}
        value={text}
        onChange={(event) => change(event.target.value)}
        onKeyDown={onKeyDown}
        className={classNames(inputClass, 'px-8! [&::-webkit-search-cancel-button]:hidden')}
      />
      {text !== '' && (
        <button
          type="button"
          aria-label="Clear search"
          onClick={() => change('')}
          className="absolute right-1 grid size-6 place-items-center rounded-sm text-muted hover:bg-hover"
        >
          <X aria-hidden className="size-4" />
        </button>
      )}
      {isOpen && loaded && (
        <Popup>
          <loaded.SearchOptionList id={id} {...found} marked={marked} onMark={setMarked} onChoose={choose} />
        </Popup>
      )}
    </div>
  )
}

function Popup({ children }: { children: ReactNode }) {
  return (
    <div className="absolute inset-x-0 top-full z-30 mt-1 max-h-96 overflow-auto rounded-lg bg-surface shadow-overlay">
      {children}
    </div>
  )
}
