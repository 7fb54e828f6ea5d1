import { useMemo } from 'react'
import { formatCount } from '#lib/format.ts'
import { Button } from '#ui/actions/button.tsx'
import { Badge, type BadgeTone } from '#ui/data/badge.tsx'
import { Table, type TableColumn } from '#ui/data/table.tsx'
import { type Option, Select } from '#ui/fields/select.tsx'
import { useSingleStop } from '#ui/single-stop.ts'
import type { ImportField, ImportPreview } from '../api.ts'

interface ColumnMappingProps {
  columns: readonly ImportPreview['columns'][number][]
  fields: readonly ImportField[]
  isOutdated: boolean
  /** Fields of columns by what the options call them; empty text ignores a column. */
  onMap: (changes: Record<string, string>) => void
}

const ignored = ''
const ignoreOption: Option = { id: 'ignore', label: 'Ignore', description: 'Nothing of this column is imported.' }

/** Which field each column is, with the guesses filled in. All columns together are one stop for Tab. */
export function ColumnMapping({ columns, fields, isOutdated, onMap }: ColumnMappingProps) {
  const stop = useSingleStop('vertical')
  const unknown = columns.filter(({ how }) => how === 'unknown')
  const tableColumns = useMemo(() => mappingColumns(fields, onMap), [fields, onMap])
  return (
    <div className="space-y-2">
      {unknown.length > 0 && (
        <p className="flex flex-wrap items-center gap-2">
          <span role="status">{formatCount(unknown.length, 'column')} not recognised.</span>
          <Button
            isSmall
            onPress={() => onMap(Object.fromEntries(unknown.map(({ reference }) => [reference, ignored])))}
          >
            {unknown.length === 1 ? 'Ignore it' : 'Ignore them'}
          </Button>
        </p>
      )}
      <div ref={stop}>
        <Table
          hasCards
          label="Columns"
          columns={tableColumns}
          rows={columns}
          getId={({ header, reference }) => `${reference} ${header}`}
          isOutdated={isOutdated}
          className="max-h-[70dvh]"
        />
      </div>
    </div>
  )
}

function mappingColumns(
  fields: readonly ImportField[],
  onMap: ColumnMappingProps['onMap'],
): TableColumn<ImportPreview['columns'][number]>[] {
  const fieldOptions = fields.map(({ name, description }): Option => ({ id: name, label: name, description }))
  return [
    {
      id: 'header',
      label: 'Column',
      render: ({ header, reference, examples }) => (
        <div className="min-w-32 max-w-80">
          <bdi className="font-medium wrap-anywhere">{header || namelessColumn(reference)}</bdi>
          <div className="truncate text-muted text-xs">
            <bdi>{examples.filter((example) => example !== '').join(' · ')}</bdi>
          </div>
        </div>
      ),
    },
    {
      id: 'field',
      label: 'Field',
      render: ({ header, reference, field, how, nearest }) => (
        <Select
          label={`Field of ${header || namelessColumn(reference)}`}
          isLabelHidden
          placeholder="Choose a field"
          options={[ignoreOption, ...sortNearest(fieldOptions, nearest)]}
          value={how === 'ignored' ? ignoreOption.id : field}
          onChange={(choice) => onMap({ [reference]: choice === ignoreOption.id ? ignored : choice })}
          className="w-56 max-w-full"
        />
      ),
    },
    {
      id: 'how',
      label: 'How',
      render: ({ how }) => {
        const [label, tone] = hows[how]
        return <Badge tone={tone}>{label}</Badge>
      },
    },
  ]
}

function namelessColumn(reference: string): string {
  return `Column ${reference.slice(1)}, without a heading`
}

const hows: Record<ImportPreview['columns'][number]['how'], [label: string, tone: BadgeTone]> = {
  name: ['Recognised', 'success'],
  synonym: ['Guessed', 'accent'],
  map: ['Chosen', 'success'],
  ignored: ['Ignored', 'neutral'],
  unknown: ['Not recognised', 'warning'],
}

/** The fields with the nearest names come first. */
function sortNearest(options: readonly Option[], nearest: readonly string[]): readonly Option[] {
  if (nearest.length === 0) return options
  const isNear = ({ id }: Option) => nearest.includes(id)
  return [...options.filter(isNear), ...options.filter((option) => !isNear(option))]
}
