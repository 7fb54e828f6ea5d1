/** The text of a file: rows of items as the API serves them, in CSV or in lines of JSON. */
import { csvCell, exactCsvCell } from '../../../foundation/kernel/csv.ts'
import { Refusal } from '../../../foundation/kernel/errors.ts'
import { nearestTexts } from '../../../foundation/kernel/similarity.ts'
import { quote } from '../../../search/query/vocabulary.ts'
import { type Column, columnsOfKind, type ExportKind } from './columns.ts'
import { hubspotColumns, salesforceColumns } from './presets.ts'

export const exportFormats = ['csv', 'ndjson'] as const
export const exportPresets = ['hubspot', 'salesforce', 'excel'] as const
type Preset = (typeof exportPresets)[number]

export interface ExportFormat {
  readonly extension: (typeof exportFormats)[number]
  readonly contentType: string
  /** The text before the first row; empty for lines of JSON. */
  header(): string
  /** The text of rows. An item is JSON as the API serves it: a store, a contact preview or a revealed contact. */
  rows(items: readonly string[]): string
}

interface FormatRequest {
  kind: ExportKind
  format: (typeof exportFormats)[number]
  columns?: readonly string[] | undefined
  preset?: Preset | undefined
}

/** Throws `invalid_column` for a column that there is not or that is named twice, and `invalid_request` for a preset that does not fit. */
export function createExportFormat(request: FormatRequest): ExportFormat {
  return request.format === 'ndjson' ? ndjson(request) : csv(request)
}

function ndjson({ columns, preset }: FormatRequest): ExportFormat {
  if (columns)
    throw new Refusal('invalid_request', 'Columns are for CSV; NDJSON has whole objects.', { param: 'columns' })
  if (preset) throw new Refusal('invalid_request', 'Presets are for CSV.', { param: 'preset' })
  return {
    extension: 'ndjson',
    contentType: 'application/x-ndjson; charset=utf-8',
    header: () => '',
    rows: (items) => (items.length === 0 ? '' : `${items.join('\n')}\n`),
  }
}

function csv(request: FormatRequest): ExportFormat {
  const columns = selectColumns(request)
  const last = columns.length - 1
  // The import of a customer relationship system would store the guard of formulas with the value.
  const cell = isForCrm(request.preset) ? exactCsvCell : csvCell

  function row(item: unknown): string {
    let text = ''
    for (let i = 0; i < last; i++) text += `${cell(columns[i]!.read(item))},`
    return `${text}${cell(columns[last]!.read(item))}\r\n`
  }

  function rows(items: readonly string[]): string {
    let text = ''
    for (const item of items) text += row(JSON.parse(item))
    return text
  }

  const header = `${columns.map(({ name }) => csvCell(name)).join()}\r\n`
  return {
    extension: 'csv',
    contentType: 'text/csv; charset=utf-8',
    header: () => (request.preset === 'excel' ? byteOrderMark + header : header),
    rows,
  }
}

/** By it a spreadsheet recognises UTF-8. */
const byteOrderMark = '\ufeff'

const presetColumns = { hubspot: hubspotColumns, salesforce: salesforceColumns }

function isForCrm(preset: Preset | undefined): preset is keyof typeof presetColumns {
  return preset !== undefined && preset in presetColumns
}

function selectColumns({ kind, columns: names, preset }: FormatRequest): readonly Column[] {
  if (isForCrm(preset)) {
    if (kind !== 'contacts')
      throw new Refusal('invalid_request', `The preset ${preset} is for exports of kind contacts.`, {
        param: 'preset',
      })
    if (names)
      throw new Refusal('invalid_request', `The preset ${preset} has columns of its own.`, { param: 'columns' })
    return presetColumns[preset] as readonly Column[]
  }
  const available = columnsOfKind[kind]
  return names ? names.map((name, index) => findColumn(available, names, name, index)) : available
}

function findColumn(available: readonly Column[], names: readonly string[], name: string, index: number): Column {
  const param = `columns[${index}]`
  const column = available.find((each) => each.name === name)
  if (!column) {
    const known = available.map((each) => each.name)
    const nearest = nearestTexts(known, name).slice(0, 3).join(', ')
    const hint = nearest === '' ? `the columns are ${known.join(', ')}` : `nearest: ${nearest}`
    throw new Refusal('invalid_column', `${quote(name)} is not a column of this kind; ${hint}.`, { param })
  }
  if (names.indexOf(name) !== index) throw new Refusal('invalid_column', `${name} is named twice.`, { param })
  return column
}
