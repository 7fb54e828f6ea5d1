import { RadioTiles } from '#ui/fields/radio-tiles.tsx'
import type { ExportKind } from '../exports/api.ts'
import { type FormatId, fitsFormat } from './export-form-state.ts'

interface FormatFieldProps {
  kind: ExportKind
  value: FormatId
  onChange: (format: FormatId) => void
}

const formats: readonly { id: FormatId; label: string; description: string }[] = [
  { id: 'csv', label: 'CSV', description: 'For programs' },
  { id: 'excel', label: 'Excel', description: 'CSV that Excel reads' },
  { id: 'hubspot', label: 'HubSpot', description: 'Contacts to import' },
  { id: 'salesforce', label: 'Salesforce', description: 'Leads to import' },
  { id: 'ndjson', label: 'NDJSON', description: 'A JSON object a line' },
]

export function FormatField({ kind, value, onChange }: FormatFieldProps) {
  return (
    <RadioTiles
      label="Format"
      options={formats.filter(({ id }) => fitsFormat(kind, id))}
      value={value}
      onChange={onChange}
    />
  )
}
