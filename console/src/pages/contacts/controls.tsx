import { useId } from 'react'
import type { ContactPreview } from '#api/catalogue.ts'
import { formatNumber } from '#lib/format.ts'
import { Button } from '#ui/actions/button.tsx'
import { inputClass } from '#ui/fields/field.tsx'
import type { UsedSelection } from '../search/use-selection.ts'

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

const count = 10

interface SelectFirstProps {
  rows: readonly ContactPreview[]
  /** The rows answer the question before. */
  isOutdated: boolean
  selection: UsedSelection
}

/**
 * As many as one step of a reveal takes, with one click. Passes over those who are revealed already, and those without a known
 * channel, some of whom cannot be revealed.
 */
export function SelectFirst({ rows, isOutdated, selection: { ids, select } }: SelectFirstProps) {
  const first = rows
    .filter((row) => !row.revealed && (row.has_verified_email || row.has_phone || row.has_profile))
    .slice(0, count)
    .map(({ id }) => id)
  if (first.length < count) return null
  return (
    <Button isSmall isDisabled={isOutdated} onPress={() => select(new Set([...ids, ...first]))}>
      Select first {count}
    </Button>
  )
}

interface SelectMatchingProps {
  /** How many match; undefined before they are counted. */
  count: number | undefined
  selection: UsedSelection
}

/** Selects everything that the filters find, on all pages. */
export function SelectMatching({ count, selection: { isAll, selectAll } }: SelectMatchingProps) {
  if (!count || isAll) return null
  return (
    <Button isSmall onPress={selectAll}>
      Select all {formatNumber(count)} that match
    </Button>
  )
}
