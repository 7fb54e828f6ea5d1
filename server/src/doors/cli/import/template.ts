import { writeFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { escapeLine } from '@storedex/process-lock/terminal'
import { type CellValue, WorkbookWriter } from '@storedex/workbook/write'
import type { Command } from 'commander'
import { formatCsvRow } from '../../../foundation/kernel/csv.ts'
import { OperatorError } from '../../../foundation/kernel/errors.ts'
import { systemClock } from '../../../foundation/kernel/time.ts'
import { type Cli, printNote } from '../context.ts'
import { choiceOption } from '../values.ts'
import { kindsOfRows, type RowKind } from './fields.ts'

export interface TemplateFlags {
  template?: true
  format?: 'csv' | 'xlsx'
  output?: string
}

export function addTemplateOptions(command: Command): Command {
  return command
    .option('--template', 'write a file to start from, and import nothing')
    .addOption(
      choiceOption('--format <format>', 'of the template (default: by the name of --output, or csv)', ['csv', 'xlsx']),
    )
    .option('--output <file>', 'where the template goes, a new file (default: standard output)')
}

/** Returns the error in these options; null for none. */
export function describeTemplateMisuse(flags: TemplateFlags, cli: Cli): string | null {
  const { template, format, output } = flags
  if (!template) return format !== undefined || output !== undefined ? '--format and --output are for --template' : null
  const isTerminal = output === undefined && cli.stdout.isTTY
  return isTerminal && formatOf(flags) === 'xlsx' ? 'a terminal cannot show a workbook; give --output' : null
}

/** Writes a file with all columns and one example. */
export async function writeTemplate(cli: Cli, kind: RowKind, flags: TemplateFlags): Promise<void> {
  const content = formatOf(flags) === 'xlsx' ? formatWorkbook(kind, systemClock.now()) : formatCsv(kind)
  if (flags.output === undefined) {
    cli.stdout.write(content)
    return
  }
  await writeNewFile(flags.output, content)
  printNote(cli, `Written to ${escapeLine(flags.output)}.\n`)
}

function formatOf({ format, output = '' }: Pick<TemplateFlags, 'format' | 'output'>): 'csv' | 'xlsx' {
  return format ?? (extname(output).toLowerCase() === '.xlsx' ? 'xlsx' : 'csv')
}

const storeExample: Record<string, CellValue> = {
  domain: 'willow-teas.example',
  name: 'Willow Teas',
  aliases: 'willow-teas.myshopify.com',
  category: 'food_beverages_tobacco',
  country: 'GB',
  traffic_tier: '10k_50k',
  revenue_tier: '50k_100k',
  platform_plus: 'false',
  lead_fit_score: 64.5,
  'store_created_at.estimate': { day: '2019-03-01' },
  'store_created_at.resolution': 'month',
  'store_created_at.source': 'first_product',
  'store_created_at.confidence': 'medium',
  first_discovered_at: { day: '2021-06-11' },
  active_ads: 12,
  'technologies.apps': 'klaviyo|loox',
  'technologies.pixels': 'meta_pixel',
  'technologies.theme.name': 'Dawn',
  'technologies.theme.type': 'free',
}

const contactExample: Record<string, CellValue> = {
  store_domain: 'willow-teas.example',
  external_id: 'c-1',
  first_name: 'Mara',
  last_name: 'Lindqvist',
  full_name: 'Mara Lindqvist',
  title: 'Head of Marketing',
  role: 'marketing',
  seniority: 'decision_maker',
  profile_url: 'https://people.example/mara',
  'emails.0.email': 'mara@willow-teas.example',
  'emails.0.status': 'verified',
  'emails.0.type': 'work',
  'emails.0.is_primary': 'true',
  'phones.0.phone': '+442079460123',
  'phones.0.type': 'office',
  'phones.0.is_primary': 'true',
}

const examples: Record<RowKind, Record<string, CellValue>> = {
  stores: storeExample,
  contacts: contactExample,
  'stores+contacts': {
    ...storeExample,
    ...Object.fromEntries(Object.entries(contactExample).map(([name, value]) => [`contact.${name}`, value])),
  },
}

function rowsOf(kind: RowKind): { columns: string[]; example: CellValue[] } {
  const columns = kindsOfRows[kind].fields.map(({ name }) => name)
  return { columns, example: columns.map((name) => examples[kind][name] ?? null) }
}

function formatCsv(kind: RowKind): string {
  const { columns, example } = rowsOf(kind)
  return formatCsvRow(columns) + formatCsvRow(example.map(textOf))
}

function textOf(value: CellValue): string {
  if (typeof value === 'object' && value !== null && 'day' in value) return value.day
  return value === null ? '' : String(value)
}

function formatWorkbook(kind: RowKind, createdAt: Date): Buffer {
  const { columns, example } = rowsOf(kind)
  const writer = new WorkbookWriter({ columns, sheetName: kind === 'contacts' ? 'Contacts' : 'Stores', createdAt })
  writer.add([example])
  return writer.end()
}

async function writeNewFile(file: string, content: string | Buffer): Promise<void> {
  try {
    await writeFile(file, content, { flag: 'wx' })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw new OperatorError(`${file} already exists; choose another file name.`)
    throw new OperatorError(`${file} cannot be written (${code}).`, { cause: error })
  }
}
