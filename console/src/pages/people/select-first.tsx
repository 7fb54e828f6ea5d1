import type { ContactPreview } from '#api/catalogue.ts'
import { Button } from '#ui/actions/button.tsx'

const count = 10

interface SelectFirstProps {
  rows: readonly ContactPreview[]
  selected: ReadonlySet<string>
  onSelect: (selected: ReadonlySet<string>) => void
}

/** As many as one step of a reveal takes, with one click. Those who are revealed already are passed over. */
export function SelectFirst({ rows, selected, onSelect }: SelectFirstProps) {
  const first = rows
    .filter(({ revealed }) => !revealed)
    .slice(0, count)
    .map(({ id }) => id)
  if (first.length < count) return null
  return (
    <Button isSmall onPress={() => onSelect(new Set([...selected, ...first]))}>
      Select first {count}
    </Button>
  )
}
