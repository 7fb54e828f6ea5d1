import { Checkbox } from '#ui/fields/checkbox.tsx'
import { NumberField } from '#ui/fields/number-field.tsx'
import { type Option, Select } from '#ui/fields/select.tsx'
import type { ImportOptions, ImportPreview, ImportRow } from '../api.ts'

interface ReadOptionsProps {
  job: ImportRow
  options: ImportOptions
  preview: ImportPreview | undefined
  onChange: (changes: Partial<ImportOptions>) => void
}

type Choice<Name extends keyof ImportOptions> = NonNullable<ImportOptions[Name]> & string

const delimiterNames: Record<Choice<'delimiter'>, string> = {
  ',': 'Comma',
  ';': 'Semicolon',
  '\t': 'Tab',
  '|': 'Vertical bar',
}
const decimalNames: Record<Choice<'decimal'>, string> = { dot: 'Dot, as in 64.5', comma: 'Comma, as in 64,5' }
const dateNames: Record<Choice<'dates'>, string> = {
  dmy: 'Day first, 31/12/2026',
  mdy: 'Month first, 12/31/2026',
}
const encodingNames: Record<string, string> = {
  'utf-8': 'UTF-8',
  'windows-1252': 'Windows-1252 (Western)',
  'windows-1250': 'Windows-1250 (Central Europe)',
  'windows-1251': 'Windows-1251 (Cyrillic)',
  'iso-8859-15': 'Latin 9 (ISO 8859-15)',
  'utf-16le': 'UTF-16, little-endian',
  'utf-16be': 'UTF-16, big-endian',
  macintosh: 'Mac OS Roman',
  'windows-1253': 'Windows-1253 (Greek)',
  'windows-1254': 'Windows-1254 (Turkish)',
  'koi8-r': 'KOI8-R (Cyrillic)',
  cp850: 'DOS 850 (Western)',
  shift_jis: 'Japanese (Shift JIS)',
  'euc-jp': 'Japanese (EUC-JP)',
  gb18030: 'Chinese (GB 18030)',
  big5: 'Chinese (Big5)',
  'euc-kr': 'Korean (EUC-KR)',
}
const headingNames = { first: 'In the first line', line: 'In another line', none: 'Not in the file' }
const shortRowNames: Record<Choice<'short_rows'>, string> = {
  reject: 'Reject the row',
  fill: 'Fill with empty cells',
}
const badValueNames: Record<Choice<'on_bad_value'>, string> = {
  reject: 'Reject the record',
  drop: 'Leave the value out',
}

/** How the cells of the file are understood. What is not chosen is detected. */
export function ReadOptions({ job, options, preview, onChange }: ReadOptionsProps) {
  const format = preview?.format ?? formatByName(job.file_name)
  const isText = format === 'csv'
  const isWorkbook = format === 'xlsx'
  return (
    <section aria-label="How the file is read" className="space-y-3">
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-[repeat(auto-fill,minmax(14rem,1fr))]">
        {isText && (
          <>
            <DetectedSelect
              label="Encoding"
              names={encodingNames}
              value={options.encoding}
              detected={preview?.encoding}
              onChange={(encoding) => onChange({ encoding })}
            />
            <DetectedSelect
              label="Columns are separated by"
              names={delimiterNames}
              value={options.delimiter}
              detected={preview?.delimiter}
              onChange={(delimiter) => onChange({ delimiter: delimiter as Choice<'delimiter'> | undefined })}
            />
          </>
        )}
        {(isText || isWorkbook) && (
          <>
            <DetectedSelect
              label={isWorkbook ? 'Decimals written as text' : 'Decimals'}
              names={decimalNames}
              value={options.decimal}
              // A workbook's own numbers have none, and most have no others.
              detected={isWorkbook && preview?.decimal === 'dot' ? null : preview?.decimal}
              onChange={(decimal) => onChange({ decimal: decimal as Choice<'decimal'> | undefined })}
            />
            <DetectedSelect
              label={isWorkbook ? 'Dates written as text' : 'Dates with slashes or dots'}
              names={dateNames}
              value={options.dates}
              detected={null}
              automaticLabel="Reject unclear ones"
              onChange={(dates) => onChange({ dates: dates as Choice<'dates'> | undefined })}
            />
            <HeadingOptions options={options} onChange={onChange} />
          </>
        )}
        {isText && (
          <Select
            label="Rows with too few cells"
            options={optionsOf(shortRowNames)}
            value={options.short_rows ?? 'reject'}
            onChange={(choice) => onChange({ short_rows: choice === 'fill' ? 'fill' : undefined })}
          />
        )}
        <Select
          label="A value that cannot be read"
          options={optionsOf(badValueNames)}
          value={options.on_bad_value ?? 'reject'}
          onChange={(choice) => onChange({ on_bad_value: choice as Choice<'on_bad_value'> })}
        />
      </div>
      <Checkbox
        isSelected={options.extend_taxonomy ?? false}
        onChange={(isSelected) => onChange({ extend_taxonomy: isSelected || undefined })}
      >
        Add unknown apps, pixels, roles and categories to the taxonomy
      </Checkbox>
    </section>
  )
}

/** Until the server has read the file, as it may be misnamed. */
function formatByName(name: string): 'csv' | 'xlsx' | null {
  if (/\.(csv|tsv|txt)(\.gz)?$/i.test(name)) return 'csv'
  return /\.xls[xm]$/i.test(name) ? 'xlsx' : null
}

/** Where the heading is; in another line, a field for its number. */
function HeadingOptions({ options, onChange }: Pick<ReadOptionsProps, 'options' | 'onChange'>) {
  const place = options.no_header !== undefined ? 'none' : options.header_row !== undefined ? 'line' : 'first'
  const choose = (choice: string) =>
    onChange({
      header_row: choice === 'line' ? 2 : undefined,
      no_header: choice === 'none' ? '' : undefined,
    })
  return (
    <>
      <Select label="The heading is" options={optionsOf(headingNames)} value={place} onChange={choose} />
      {place === 'line' && (
        <NumberField
          label="Line of the heading"
          minValue={1}
          maxValue={1_000_000}
          value={options.header_row ?? 1}
          onChange={(line) => onChange({ header_row: Number.isNaN(line) ? 1 : line })}
        />
      )}
    </>
  )
}

interface DetectedSelectProps {
  label: string
  names: Record<string, string>
  value: string | undefined
  /** The detected value, or the one in use. */
  detected: string | null | undefined
  /** The behaviour without a choice, where nothing is detected. */
  automaticLabel?: string
  onChange: (value: string | undefined) => void
}

const automatic = 'automatic'

function DetectedSelect({ label, names, value, detected, automaticLabel = 'Detect', onChange }: DetectedSelectProps) {
  const known = detected && value === undefined ? `Detected: ${shortName(names[detected] ?? detected)}` : automaticLabel
  return (
    <Select
      label={label}
      options={[{ id: automatic, label: known }, ...optionsOf(names)]}
      value={value ?? automatic}
      onChange={(choice) => onChange(choice === automatic ? undefined : choice)}
    />
  )
}

/** Without the example, and without what is in brackets. */
function shortName(name: string): string {
  return name.replace(/(, as in | \().*/, '')
}

function optionsOf(names: Record<string, string>): Option[] {
  return Object.entries(names).map(([id, label]) => ({ id, label }))
}
