import { ChevronDown, ChevronUp } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { formatNumber } from '#lib/format.ts'
import { Button, IconButton } from '#ui/actions/button.tsx'
import { Skeleton } from '#ui/feedback/skeleton.tsx'
import { Checkbox } from '#ui/fields/checkbox.tsx'
import { RadioTiles } from '#ui/fields/radio-tiles.tsx'
import { useSingleStop } from '#ui/single-stop.ts'
import type { ExportColumns, ExportKind } from '../exports/api.ts'
import { type FormatId, fitsFormat, hasColumns } from './export-form-state.ts'

interface ColumnChooserProps {
  /** All of them, in the usual order. */
  known: readonly string[]
  /** In this order; null for all. */
  chosen: readonly string[] | null
  onChange: (chosen: readonly string[] | null) => void
}

/** Which columns the file has, and in which order. The list is one stop for Tab. */
function ColumnChooser({ known, chosen, onChange }: ColumnChooserProps) {
  const [isOpen, setIsOpen] = useState(false)
  const names = chosen ?? known
  const list = useRef<HTMLDivElement>(null)
  const stop = useSingleStop('both')
  const change = (next: readonly string[]) => onChange(isUsual(next, known) ? null : next)
  const move = (name: string, step: number) => {
    change(moved(names, name, step))
    // The row moves in the page, and a row that moves loses the focus.
    requestAnimationFrame(() => focusMove(list.current, name, step))
  }
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 flex-1 text-muted" role="status">
          {chosen
            ? `${formatNumber(names.length)} of ${formatNumber(known.length)}`
            : `All ${formatNumber(known.length)}`}
        </span>
        {isOpen && (
          <Button isSmall variant="quiet" onPress={() => onChange(chosen ? null : [])}>
            {chosen ? 'All, in the usual order' : 'None'}
          </Button>
        )}
        <Button isSmall onPress={() => setIsOpen(!isOpen)} aria-expanded={isOpen}>
          {isOpen ? 'Close the list' : 'Choose columns'}
        </Button>
      </div>
      {isOpen && (
        <div ref={list}>
          <ul
            ref={stop}
            aria-label="Columns of the file"
            className="mt-1 max-h-56 divide-y divide-line overflow-y-auto rounded-md border border-line"
          >
            {[...names, ...known.filter((name) => !names.includes(name))].map((name) => {
              const place = names.indexOf(name)
              return (
                <li key={name} data-column={name} className="flex min-h-8 items-center gap-1 px-2">
                  <Checkbox
                    isSelected={place >= 0}
                    onChange={(isChosen) => change(isChosen ? [...names, name] : names.filter((each) => each !== name))}
                    className="min-w-0 flex-1"
                  >
                    <code className="text-xs">{name}</code>
                  </Checkbox>
                  {place >= 0 && (
                    <>
                      <IconButton
                        isSmall
                        label={`Move ${name} up`}
                        icon={<ChevronUp aria-hidden />}
                        isDisabled={place === 0}
                        onPress={() => move(name, -1)}
                      />
                      <IconButton
                        isSmall
                        label={`Move ${name} down`}
                        icon={<ChevronDown aria-hidden />}
                        isDisabled={place === names.length - 1}
                        onPress={() => move(name, 1)}
                      />
                    </>
                  )}
                </li>
              )
            })}
          </ul>
        </div>
      )}
      {names.length === 0 && (
        <p role="alert" className="text-danger-text text-xs">
          Choose at least one.
        </p>
      )}
    </>
  )
}

interface ColumnsFieldProps {
  children: React.ReactNode
}

/** The name of the choice, and what there is to choose. */
function ColumnsField({ children }: ColumnsFieldProps) {
  const id = useId()
  return (
    // biome-ignore lint/a11y/useSemanticElements: a legend cannot stand in the flow of the form
    <div role="group" aria-labelledby={id} className="min-w-0">
      <span id={id} className="font-medium">
        Columns
      </span>
      {children}
    </div>
  )
}

function isUsual(names: readonly string[], known: readonly string[]): boolean {
  return names.length === known.length && names.every((name, index) => name === known[index])
}

function moved(names: readonly string[], name: string, step: number): string[] {
  const others = names.filter((each) => each !== name)
  return others.toSpliced(names.indexOf(name) + step, 0, name)
}

/** The button that was pressed, or the other one where the row is at an end now. */
function focusMove(list: HTMLElement | null, name: string, step: number): void {
  const row = list?.querySelector(`[data-column="${CSS.escape(name)}"]`)
  const [up, down] = row?.querySelectorAll<HTMLButtonElement>('button') ?? []
  const [pressed, other] = step < 0 ? [up, down] : [down, up]
  ;(pressed?.disabled ? other : pressed)?.focus()
}

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

interface FormatFieldProps {
  kind: ExportKind
  value: FormatId
  onChange: (format: FormatId) => void
}

const formats: readonly { id: FormatId; label: string; description: string }[] = [
  { id: 'csv', label: 'CSV', description: 'For programs' },
  { id: 'excel', label: 'Excel', description: 'A workbook, .xlsx' },
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
