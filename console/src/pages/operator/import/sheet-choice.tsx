import { formatCount } from '#lib/format.ts'
import { Badge } from '#ui/data/badge.tsx'
import { RadioCards } from '#ui/fields/radio-cards.tsx'
import { Select } from '#ui/fields/select.tsx'
import type { ImportPreview } from '../api.ts'
import { OperatorSection } from '../facts.tsx'
import { describeSheetQuestion } from './sentences.ts'

type Sheets = ImportPreview['sheets']

interface SheetChoiceProps {
  sheets: Sheets
  /** The name of the sheet that is read; null where one has to be chosen. */
  value: string | null
  onChange: (sheet: string) => void
}

/** More are not counted by the server. */
const mostCounted = 10_000
/** More sheets would push the rest of the page out of sight. */
const mostCards = 12
const maxNameLength = 100

/** Which sheet of a workbook is read. */
export function SheetChoice({ sheets, value, onChange }: SheetChoiceProps) {
  const chosen = sheets.findIndex(({ name }) => name === value)
  const props = {
    label: 'Sheet',
    value: chosen === -1 ? null : String(chosen),
    onChange: (id: string) => onChange(optionOf(sheets, Number(id))),
  }
  const isDisabled = (index: number) => sheets[index]!.rows === 0 && index !== chosen
  return (
    <OperatorSection
      title="Sheet"
      description={value === null ? describeSheetQuestion(sheets) : 'One sheet is imported at a time.'}
    >
      {sheets.length <= mostCards ? (
        <RadioCards
          {...props}
          cards={sheets.map(({ name, rows, is_hidden }, index) => ({
            id: String(index),
            title: name,
            badge: is_hidden && <Badge>Hidden</Badge>,
            children: <span className="text-muted text-xs">{describeRows(rows)}</span>,
            isDisabled: isDisabled(index),
          }))}
        />
      ) : (
        <Select
          {...props}
          isLabelHidden
          placeholder="Choose a sheet"
          options={sheets.map(({ name, rows, is_hidden }, index) => ({
            id: String(index),
            label: name,
            hint: is_hidden ? `${describeRows(rows)}, hidden` : describeRows(rows),
            isDisabled: isDisabled(index),
          }))}
          className="max-w-sm"
        />
      )}
    </OperatorSection>
  )
}

function describeRows(rows: number): string {
  if (rows === 0) return 'No rows'
  const counted = formatCount(rows, 'row')
  return rows >= mostCounted ? `${counted} or more` : counted
}

/** What the options call a sheet: its name, or its number where a name cannot be sent. */
function optionOf(sheets: Sheets, index: number): string {
  const { name } = sheets[index]!
  return name === '' || name.length > maxNameLength ? String(index + 1) : name
}
