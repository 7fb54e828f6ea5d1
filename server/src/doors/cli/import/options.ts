import { readFile } from 'node:fs/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { givenReadingOptions, type ReadingOptions } from '../../../catalogue/imports/records/reading-options.ts'
import { formatOf } from '../../../catalogue/imports/source/text.ts'
import { OperatorError } from '../../../foundation/kernel/errors.ts'
import { choiceOption } from '../values.ts'

/** The options that say how a file is read. */
export interface ReadingFlags {
  sheet?: string
  delimiter?: NonNullable<ReadingOptions['delimiter']>
  encoding?: string
  decimal?: 'dot' | 'comma'
  dates?: 'dmy' | 'mdy'
  map?: Record<string, string>
  mapFile?: string
  shortRows?: 'reject' | 'fill'
  headerRow?: number
  noHeader?: string[]
}

export function addReadingOptions(command: Command, kind: 'stores' | 'contacts'): Command {
  command
    .option(
      '--map <column=field>',
      'read a column as a field; "Column=" ignores it, "#5=field" is the fifth, "*=" ignores all unknown ones; repeatable',
      collectMap,
    )
    .option('--map-file <file>', 'the same as a JSON object: {"Column":"field"}')
    .addOption(
      choiceOption(
        '--on-bad-value <action>',
        'what happens to a record with a bad value: rejected, or the value dropped',
        ['reject', 'drop'],
      ).default('reject'),
    )
    .option('--dry-run', 'read, clean and check everything, and write nothing')
    .option('--sheet <name|number>', 'the sheet of a workbook to read (default: the only one with rows)')
    .option('--delimiter <character>', 'what separates cells: , ; tab or | (default: detected)', parseDelimiter)
    .option('--encoding <name>', 'utf-8, utf-16le, windows-1252 or another one (default: detected)')
    .addOption(choiceOption('--decimal <mark>', 'the decimal mark of numbers (default: detected)', ['dot', 'comma']))
    .addOption(choiceOption('--dates <order>', 'how dates such as 03/04/2021 are read', ['dmy', 'mdy']))
    .addOption(
      choiceOption(
        '--short-rows <action>',
        'rows with fewer cells than the header: rejected, or filled with empty cells',
        ['reject', 'fill'],
      ),
    )
    .option('--header-row <line>', 'the line of the header; lines before it are not read', parseLine)
    .addOption(noHeaderOption())
    .option('--extend-taxonomy', 'add missing apps, pixels, roles and categories to the taxonomy')
  if (kind === 'stores')
    command.addOption(
      choiceOption('--as <kind>', 'each row has a store and one of its contacts, in columns contact.…', [
        'stores+contacts',
      ]),
    )
  return command
}

/** An option with a value, although its name begins with `no`. */
function noHeaderOption(): Option {
  const option = new Option('--no-header <fields>', 'the file has no header: the fields of its columns, with commas')
  option.negate = false
  return option.argParser(parseFields)
}

function parseLine(value: string): number {
  const line = Number(value)
  if (!/^\d{1,9}$/.test(value) || line < 1) throw new InvalidArgumentError('Give the number of a line, from 1.')
  return line
}

function parseFields(value: string): string[] {
  return value.split(',').map((field) => field.trim())
}

const delimiterNames: Record<string, NonNullable<ReadingOptions['delimiter']>> = {
  ',': ',',
  comma: ',',
  ';': ';',
  semicolon: ';',
  '\t': '\t',
  '\\t': '\t',
  tab: '\t',
  '|': '|',
  pipe: '|',
}

function parseDelimiter(value: string): NonNullable<ReadingOptions['delimiter']> {
  const delimiter = delimiterNames[value.toLowerCase()]
  if (delimiter === undefined) throw new InvalidArgumentError('Give one of , ; tab |')
  return delimiter
}

function collectMap(value: string, previous: Record<string, string> = {}): Record<string, string> {
  // A field has no =, a column may.
  const equals = value.lastIndexOf('=')
  if (equals < 1) throw new InvalidArgumentError('Give "Column=field", or "Column=" to ignore the column.')
  return { ...previous, [value.slice(0, equals)]: value.slice(equals + 1).trim() }
}

/** Options that say how a table is read; JSON is read to the letter. */
const tableFlags = {
  delimiter: '--delimiter',
  encoding: '--encoding',
  decimal: '--decimal',
  dates: '--dates',
  map: '--map',
  mapFile: '--map-file',
  shortRows: '--short-rows',
  headerRow: '--header-row',
  noHeader: '--no-header',
  sheet: '--sheet',
} as const satisfies Record<keyof ReadingFlags, string>

/** Returns the error in these options for a file of this name; null for none. */
export function describeMisuse(file: string, flags: ReadingFlags): string | null {
  const names = Object.keys(tableFlags) as (keyof ReadingFlags)[]
  const given = names.filter((name) => flags[name] !== undefined).map((name) => tableFlags[name])
  if (formatOf(file) === 'json' && given.length > 0) {
    const read = file === '-' ? 'standard input is read as NDJSON' : 'JSON is read as it is written'
    return `${given.join(' and ')} ${given.length === 1 ? 'serves' : 'serve'} for CSV and workbooks only, and ${read}`
  }
  if (flags.headerRow !== undefined && flags.noHeader !== undefined)
    return '--header-row and --no-header contradict each other'
  return null
}

/** The options of the command line, with the file that maps columns; the command line wins. */
export async function readOptions(flags: ReadingFlags): Promise<ReadingOptions> {
  const map = { ...(flags.mapFile && (await readMapFile(flags.mapFile))), ...flags.map }
  return givenReadingOptions({ ...flags, map })
}

async function readMapFile(file: string): Promise<Record<string, string>> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    throw new OperatorError(`The map file ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
  const map = parseObject(text)
  const isMap = map !== null && Object.values(map).every((field) => typeof field === 'string')
  if (!isMap) throw new OperatorError(`${file} must be a JSON object of columns and fields: {"Website":"domain"}.`)
  return map as Record<string, string>
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
