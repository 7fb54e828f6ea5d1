/**
 * Writes records as CSV in the ways of different programs. It shares nothing with the code that reads them, so that both
 * cannot be wrong in the same way.
 */
import fc from 'fast-check'

export interface CsvDialect {
  delimiter: ',' | ';' | '\t' | '|'
  quoting: 'needed' | 'all' | 'some'
  encoding: 'utf-8' | 'utf-8 with mark' | 'utf-16le' | 'utf-16be' | 'windows-1252'
  lineEnd: '\n' | '\r\n' | '\r'
  decimal: '.' | ','
  endsWithLineEnd: boolean
  hasBlankLines: boolean
  hasUnknownColumn: boolean
  /** Whether the import is told how to read the file, and does not have to detect it. */
  isTold: boolean
}

export const csvDialect: fc.Arbitrary<CsvDialect> = fc.record({
  delimiter: fc.constantFrom(',', ';', '\t', '|'),
  quoting: fc.constantFrom('needed', 'all', 'some'),
  encoding: fc.constantFrom('utf-8', 'utf-8 with mark', 'utf-16le', 'utf-16be', 'windows-1252'),
  lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
  decimal: fc.constantFrom('.', ','),
  endsWithLineEnd: fc.boolean(),
  hasBlankLines: fc.boolean(),
  hasUnknownColumn: fc.boolean(),
  isTold: fc.boolean(),
})

/** Picks one of several spellings. */
export type Choose = <T>(values: readonly T[]) => T

/** A source of choices that shrinks to always the first one. */
export const choices: fc.Arbitrary<Choose> = fc.array(fc.nat(9_999), { minLength: 1, maxLength: 60 }).map((numbers) => {
  let next = 0
  return (values) => values[numbers[next++ % numbers.length]! % values.length]!
})

/** How else people write what a record says. */
export interface Spellings {
  /** Other names of columns. */
  headers: Record<string, readonly string[]>
  /** Other texts of a value, by field; the index of a list is left out. */
  values: Record<string, (value: string, record: object) => readonly string[]>
  /** Objects, and lists of objects. */
  wholes: readonly string[]
  /** Fields of which a blank may be a line break. */
  prose: readonly string[]
}

export interface WrittenCsv {
  content: Buffer
  /** What the import has to be told. */
  options: {
    delimiter?: CsvDialect['delimiter']
    encoding?: string
    decimal?: 'dot' | 'comma'
    map?: Record<string, string>
  }
}

export function writeCsv(
  records: readonly object[],
  wanted: CsvDialect,
  spellings: Spellings,
  choose: Choose,
): WrittenCsv {
  const rows = records.map((record) => ({ record, cells: listCells(record) }))
  const dialect = fitting(wanted, JSON.stringify(records))
  const fields = shuffled([...new Set(rows.flatMap(({ cells }) => [...cells.keys()]))], choose)
  const isWhole = (field: string) => spellings.wholes.includes(field)
  const map: Record<string, string> = {}
  const header = fields.map((field, index) => {
    if (choose([false, false, false, true])) map[`Spalte ${index}`] = field
    if (map[`Spalte ${index}`]) return `Spalte ${index}`
    // The column of a whole object or list only clears it; in other spellings it means the first thing in there.
    return isWhole(field) ? field : spellHeader(field, spellings, choose)
  })
  const lines = rows.map(({ record, cells }) =>
    fields.map((field) => spellCell(field, cells.get(field), record, dialect, spellings, choose)),
  )
  if (dialect.hasUnknownColumn) {
    header.push('What we think')
    map['What we think'] = ''
    for (const cells of lines) cells.push(choose(['', 'call back', 'n/a', '=A1']))
  }
  const text = [header, ...lines].map((cells) => joinRow(cells, dialect, choose))
  if (dialect.hasBlankLines) text.splice(1 + Math.floor(text.length / 2), 0, '', '  ')
  const content = text.join(dialect.lineEnd) + (dialect.endsWithLineEnd ? dialect.lineEnd : '')
  return { content: encode(content, dialect.encoding), options: { ...optionsFor(dialect), map } }
}

/** A cell for each value, by the name of its column: `a.b`, `list.0.b`, and `list` for a list of texts. */
function listCells(record: object, path = ''): Map<string, unknown> {
  const cells = new Map<string, unknown>()
  for (const [name, value] of Object.entries(record)) {
    const field = `${path}${name}`
    const isLeaf = value === null || typeof value !== 'object' || (Array.isArray(value) && typeof value[0] !== 'object')
    if (isLeaf) cells.set(field, value)
    else for (const [inner, cell] of listCells(value, `${field}.`)) cells.set(inner, cell)
  }
  return cells
}

/** Windows-1252 only for text that it has; one blank line would be a record of a file with one column. */
function fitting(dialect: CsvDialect, text: string): CsvDialect {
  const fits = dialect.encoding !== 'windows-1252' || [...text].every((letter) => letter <= '\xff' || letter === '€')
  return fits ? dialect : { ...dialect, encoding: 'utf-8' }
}

function shuffled<T>(values: T[], choose: Choose): T[] {
  const rest = [...values]
  return values.map(() => rest.splice(rest.indexOf(choose(rest)), 1)[0]!)
}

function spellHeader(field: string, { headers }: Spellings, choose: Choose): string {
  return choose([
    field,
    field.toUpperCase(),
    field.replaceAll('_', ' '),
    field.replaceAll('_', ''),
    ` ${field.replace(/^\w/, (letter) => letter.toUpperCase())} `,
    ...(headers[field] ?? []),
  ])
}

const wordsForNothing = ['', '', '', 'n/a', 'N/A', '-', '#N/A', 'NULL', 'none', '  ']

function spellCell(
  field: string,
  value: unknown,
  record: object,
  { decimal }: CsvDialect,
  { values, prose }: Spellings,
  choose: Choose,
): string {
  if (value === undefined) return choose(wordsForNothing)
  // Only the exact word clears.
  if (value === null) return 'null'
  const around = choose(['', '', ' ', '  '])
  if (typeof value === 'boolean')
    return around + choose(value ? ['true', 'TRUE', 'Yes', '1'] : ['false', 'False', 'no', '0'])
  if (typeof value === 'number') return `${String(value).replace('.', decimal)}${around}`
  const name = field.replaceAll(/\.\d+/g, '')
  const spell = (text: string) => choose([text, ...(values[name]?.(text, record) ?? [])])
  if (Array.isArray(value)) return value.map(spell).join(choose(['|', '|', ' | ']))
  const text = spell(value as string)
  const broken = prose.includes(name) ? text.replace(' ', choose([' ', ' ', '\n', '\r\n'])) : text
  return `${around}${broken}${around}`
}

function joinRow(cells: readonly string[], { delimiter, quoting }: CsvDialect, choose: Choose): string {
  const quoted = cells.map((cell, column) => {
    const mustQuote = cell.includes(delimiter) || /["\r\n]/.test(cell)
    const isBlankRow = cells.length === 1 && column === 0 && cell.trim() === ''
    const isQuoted = mustQuote || isBlankRow || quoting === 'all' || (quoting === 'some' && choose([false, true]))
    return isQuoted ? `"${cell.replaceAll('"', '""')}"` : cell
  })
  return quoted.join(delimiter)
}

function optionsFor({ delimiter, encoding, decimal, isTold }: CsvDialect): WrittenCsv['options'] {
  const decimals = { decimal: decimal === ',' ? 'comma' : 'dot' } as const
  // A decimal comma goes without saying only where semicolons separate the cells.
  if (!isTold) return (decimal === ',') === (delimiter === ';') ? {} : decimals
  return { delimiter, encoding: encoding.replace(' with mark', ''), ...decimals }
}

function encode(text: string, encoding: CsvDialect['encoding']): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text)
  if (encoding === 'windows-1252')
    return Buffer.from([...text].map((letter) => (letter === '€' ? 0x80 : letter.charCodeAt(0))))
  const marked = `\ufeff${text}`
  if (encoding === 'utf-8 with mark') return Buffer.from(marked)
  const bytes = Buffer.from(marked, 'utf16le')
  return encoding === 'utf-16le' ? bytes : bytes.swap16()
}
