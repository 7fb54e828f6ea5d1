import { useState } from 'react'
import { toHost } from '#lib/filters/domains.ts'
import { SearchField } from '#ui/fields/search-field.tsx'

interface StoreFilterProps {
  store: string | undefined
  onChange: (store: string | undefined) => void
}

/** Only the people of one store, by its domain. */
export function StoreFilter({ store = '', onChange }: StoreFilterProps) {
  const [text, setText] = useState(store)
  const submit = () => onChange(toHost(text) ?? (text.trim() || undefined))
  return (
    <SearchField
      placeholder="Store domain"
      value={text}
      onChange={setText}
      onSubmit={submit}
      onClear={() => onChange(undefined)}
      className="w-full sm:w-72"
    />
  )
}
