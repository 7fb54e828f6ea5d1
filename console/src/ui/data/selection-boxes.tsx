import { useEffect, useRef } from 'react'
import { formatNumber } from '#lib/format.ts'

export interface TableSelection {
  selected: ReadonlySet<string>
  onChange: (selected: Set<string>) => void
}

const boxClass = 'block size-4 accent-accent pointer-coarse:size-5'

interface SelectAllBoxProps {
  ids: readonly string[]
  selection: TableSelection
  /** Other rows are on their way, and these would stay selected beside them. */
  isOutdated: boolean | undefined
}

/** On when all rows shown are selected, half when some are. */
export function SelectAllBox({ ids, selection, isOutdated }: SelectAllBoxProps) {
  const box = useRef<HTMLInputElement>(null)
  const selectedHere = ids.filter((id) => selection.selected.has(id)).length
  const isAll = ids.length > 0 && selectedHere === ids.length
  useEffect(() => {
    if (box.current) box.current.indeterminate = selectedHere > 0 && !isAll
  }, [selectedHere, isAll])
  const change = () => {
    const selected = new Set(selection.selected)
    for (const id of ids) isAll ? selected.delete(id) : selected.add(id)
    selection.onChange(selected)
  }
  return (
    <input
      ref={box}
      type="checkbox"
      className={boxClass}
      aria-label={`Select all ${formatNumber(ids.length)} on this page`}
      checked={isAll}
      disabled={isOutdated || ids.length === 0}
      onChange={change}
    />
  )
}

interface SelectRowBoxProps {
  label: string
  isSelected: boolean
  onToggle: (isSelected: boolean, isRange: boolean) => void
}

export function SelectRowBox({ label, isSelected, onToggle }: SelectRowBoxProps) {
  return (
    <input
      type="checkbox"
      className={`${boxClass} my-2`}
      aria-label={`Select ${label}`}
      checked={isSelected}
      onChange={(event) => onToggle(event.target.checked, (event.nativeEvent as MouseEvent).shiftKey === true)}
    />
  )
}
