import { formatNumber } from '#lib/format.ts'
import { Button } from '#ui/actions/button.tsx'
import type { UsedSelection } from './use-selection.ts'

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
