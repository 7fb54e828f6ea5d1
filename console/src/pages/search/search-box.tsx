import { ArrowRight, Plus, Search, X } from 'lucide-react'
import { useState } from 'react'
import { Autocomplete } from 'react-aria-components/Autocomplete'
import { Button } from 'react-aria-components/Button'
import { Input } from 'react-aria-components/Input'
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox'
import { SearchField } from 'react-aria-components/SearchField'
import { toHost } from '#lib/filters/domains.ts'
import type { FilterFields } from '#lib/filters/fields.ts'
import { suggestValues } from '#lib/filters/suggestions.ts'
import type { Taxonomy } from '#lib/filters/taxonomy.ts'
import type { Filters } from '#lib/filters/url.ts'
import { classNames } from '#ui/class-names.ts'
import { inputClass } from '#ui/fields/field.tsx'
import { optionClass } from '#ui/overlays/option-class.ts'

interface SearchBoxProps {
  fields: FilterFields
  filters: Filters
  taxonomy: Taxonomy | undefined
  onFilter: (filters: Filters) => void
  onOpenStore: (domain: string) => void
}

interface Choice {
  id: string
  label: string
  hint: string
  choose: () => void
}

/** Opens a store by its domain, and finds values of filters by their labels. */
export function SearchBox({ fields, filters, taxonomy, onFilter, onOpenStore }: SearchBoxProps) {
  const [text, setText] = useState('')
  const [hasFocus, setHasFocus] = useState(false)
  const host = toHost(text)
  const done = (choose: () => void) => () => {
    setText('')
    choose()
  }
  const choices: Choice[] = [
    ...(host ? [{ id: 'store', label: host, hint: 'Open store', choose: done(() => onOpenStore(host)) }] : []),
    ...(taxonomy ? suggestValues(fields, filters, taxonomy, text) : []).map((suggestion) => ({
      id: suggestion.key,
      label: suggestion.label,
      hint: suggestion.group,
      choose: done(() => onFilter(suggestion.filters)),
    })),
  ]
  const isOpen = hasFocus && text.trim() !== ''
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hears whether the focus is inside
    <div
      className="relative w-full sm:w-72"
      onFocus={() => setHasFocus(true)}
      onBlur={({ currentTarget, relatedTarget }) => setHasFocus(currentTarget.contains(relatedTarget))}
    >
      <Autocomplete inputValue={text} onInputChange={setText} disableAutoFocusFirst={false}>
        <SearchField
          aria-label="Search"
          onSubmit={() => choices[0]?.choose()}
          className="group relative flex items-center"
        >
          <Search aria-hidden className="pointer-events-none absolute left-2 size-4 text-muted" />
          <Input
            placeholder="Store domain, app, country…"
            className={classNames(inputClass, 'px-8! [&::-webkit-search-cancel-button]:hidden')}
          />
          <Button
            aria-label="Clear search"
            className="absolute right-1 grid size-6 place-items-center rounded-sm text-muted hover:bg-hover group-data-empty:hidden"
          >
            <X aria-hidden className="size-4" />
          </Button>
        </SearchField>
        <div
          hidden={!isOpen}
          className="absolute inset-x-0 top-full z-30 mt-1 max-h-80 overflow-auto rounded-lg bg-surface shadow-overlay"
        >
          <ListBox
            aria-label="Suggestions"
            items={choices}
            onAction={(id) => choices.find((choice) => choice.id === id)?.choose()}
            renderEmptyState={() => (
              <p className="px-2 py-2 text-muted">
                No filter has this name. Type the domain of a store to open it, such as shop.example.
              </p>
            )}
            className="p-1 outline-none"
          >
            {({ id, label, hint }) => (
              <ListBoxItem id={id} textValue={`${label}, ${hint}`} className={optionClass}>
                {id === 'store' ? <ArrowRight aria-hidden /> : <Plus aria-hidden className="text-muted" />}
                <bdi className="min-w-0 flex-1 truncate">{label}</bdi>
                <span className="text-muted text-xs">{hint}</span>
              </ListBoxItem>
            )}
          </ListBox>
        </div>
      </Autocomplete>
    </div>
  )
}
