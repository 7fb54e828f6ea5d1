import type { ExportColumns, ExportKind } from '#api/exports.ts'
import { Skeleton } from '#ui/feedback/skeleton.tsx'
import { ColumnChooser, ColumnsField } from './column-chooser.tsx'
import { type FormatId, hasColumns } from './export-form-state.ts'

interface ColumnsSectionProps {
  kind: ExportKind
  format: FormatId
  columns: ExportColumns | undefined
  chosen: readonly string[] | null
  onChange: (chosen: readonly string[] | null) => void
}

/** The columns to choose from; or those that the format has anyway. */
export function ColumnsSection({ kind, format, columns, chosen, onChange }: ColumnsSectionProps) {
  return (
    <ColumnsField>
      {!columns ? (
        <Skeleton className="w-40" />
      ) : hasColumns(format) ? (
        <ColumnChooser key={kind} known={columns[kind]} chosen={chosen} onChange={onChange} />
      ) : format === 'ndjson' ? (
        <p className="text-muted">Whole objects, as the API has them.</p>
      ) : (
        <p className="text-muted">
          As {format === 'hubspot' ? 'HubSpot' : 'Salesforce'} expects them:{' '}
          {columns.presets[format as 'hubspot'].join(', ')}
        </p>
      )}
    </ColumnsField>
  )
}
