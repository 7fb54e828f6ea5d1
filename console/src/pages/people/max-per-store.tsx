import { useId } from 'react'
import { inputClass } from '#ui/fields/field.tsx'

interface MaxPerStoreProps {
  value: number
  onChange: (value: number) => void
}

const options = Array.from({ length: 10 }, (_, index) => index + 1)

/** So that one store with many people does not fill the page. The browser's own list: the page loads little at first. */
export function MaxPerStore({ value, onChange }: MaxPerStoreProps) {
  const id = useId()
  return (
    <div className="flex flex-col gap-1 px-1 py-3">
      <label htmlFor={id}>Most people of one store</label>
      <select id={id} value={value} onChange={(event) => onChange(Number(event.target.value))} className={inputClass}>
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </div>
  )
}
