import { Select } from '#ui/fields/select.tsx'

interface MaxPerStoreProps {
  value: number
  onChange: (value: number) => void
}

const options = Array.from({ length: 10 }, (_, index) => ({ id: String(index + 1), label: String(index + 1) }))

/** So that one store with many people does not fill the page. */
export function MaxPerStore({ value, onChange }: MaxPerStoreProps) {
  return (
    <Select
      label="Most people of one store"
      options={options}
      value={String(value)}
      onChange={(id) => onChange(Number(id))}
      className="px-1 py-3"
    />
  )
}
