import type { ContactPreview } from '#api/catalogue.ts'
import { Button } from '#ui/actions/button.tsx'
import type { UsedSelection } from '../search/use-selection.ts'

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
