/** What the server says of a file, in words for this page: its own name options of the command. */
import type { ImportField, ImportOptions, ImportPreview } from '../api.ts'

/** Whether a workbook has several sheets of which a person has to choose one. */
export function asksForSheet({ format, sheet }: ImportPreview): boolean {
  return format === 'xlsx' && sheet === null
}

export function describeSheetQuestion(sheets: ImportPreview['sheets']): string {
  const filled = sheets.filter(({ rows }) => rows > 0)
  if (filled.length === 0) return 'No sheet of this workbook has rows.'
  if (filled.every(({ is_hidden }) => is_hidden)) return 'Only hidden sheets have rows. Choose the one to import.'
  return 'Several sheets have rows. Choose the one to import.'
}

/** Offers for a file whose heading is not in its first line. */
export function describeSuggestion({
  suggestion,
}: ImportPreview): { problem: string; action: string; options: Partial<ImportOptions> } | null {
  if (suggestion?.header_row != null) {
    const line = suggestion.header_row
    return {
      problem: `The first line is no heading. Line ${line} looks like it.`,
      action: `Take line ${line} as the heading`,
      options: { header_row: line },
    }
  }
  if (suggestion?.no_header == null) return null
  return {
    problem: 'The first line looks like a record: the file seems to have no heading.',
    action: 'Read it without a heading',
    options: { no_header: suggestion.no_header },
  }
}

/** The faults of the columns, in words for this page; the server's name the command. */
export function describeProblems(preview: ImportPreview, fields: readonly ImportField[]): string[] {
  if (asksForSheet(preview)) return [describeSheetQuestion(preview.sheets)]
  const { columns, problems } = preview
  const chosen = columns.flatMap(({ field }) => field ?? [])
  const twice = [...new Set(chosen.filter((field, index) => chosen.indexOf(field) < index))]
  const missing = columns.length === 0 ? [] : fields.filter(({ name, required }) => required && !chosen.includes(name))
  const own = [
    ...missing.map(({ name }) => `No column is the field ${name}, without which no record is known. Choose it below.`),
    ...twice.map((field) => `Several columns are the field ${field}. Ignore all but one.`),
    ...(columns.some(({ how }) => how === 'unknown') ? ['Choose a field for every column, or ignore it.'] : []),
  ]
  return own.length > 0 ? own : problems
}

const fieldsOfOptions: readonly (readonly [option: RegExp, words: string])[] = [
  [/give --dates \S+ or --dates \S+/, 'choose the order of day and month'],
  [/give --decimal dot or --decimal comma/, 'choose the decimals'],
  [/give --decimal comma/, 'choose the comma for decimals'],
  [/give --encoding/, 'choose the encoding'],
  [/give --short-rows fill/, 'choose to fill rows with too few cells'],
  [/name the column: --map .*/s, 'choose a field for its column, or ignore it'],
]

/** A hint of the server, which names options of the command, in the words of this page. */
export function hintInWords(hint: string): string {
  return fieldsOfOptions.reduce((text, [option, words]) => text.replace(option, words), hint)
}
