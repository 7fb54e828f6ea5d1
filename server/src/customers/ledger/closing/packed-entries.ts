import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflate, inflate } from 'node:zlib'
import { OperatorError } from '../../../foundation/kernel/errors.ts'
import type { Mode } from '../../../foundation/kernel/ids.ts'
import type { Meter } from '../../accounts/plans.ts'
import type { LedgerRow } from '../check-queries.ts'

/** The content of an archive. */
export interface PackedEntries {
  /** SHA-256 of the text. */
  sha256: Buffer
  /** The text, compressed with deflate. */
  packed: Buffer
}

// The asynchronous forms run in Node's thread pool and do not block requests.
const compress = promisify(deflate)
const decompress = promisify(inflate)

export async function packEntries(rows: readonly LedgerRow[]): Promise<PackedEntries> {
  const text = textOf(rows)
  return { sha256: digestOf(text), packed: await compress(text) }
}

/** The entries of an archive, in order. Throws an OperatorError if it was changed or damaged. */
export async function unpackEntries(archive: PackedEntries): Promise<LedgerRow[]> {
  const text = await readArchiveText(archive)
  return text.split('\n').slice(0, -1).map(readLine)
}

/** The text of an archive, a line of JSON per entry, checked against its digest. */
export async function readArchiveText({ packed, sha256 }: PackedEntries): Promise<string> {
  const text = await decompress(packed).catch(refuseDamaged)
  return digestOf(text).equals(sha256) ? text.toString('utf8') : refuseDamaged()
}

function refuseDamaged(cause?: unknown): never {
  throw new OperatorError('An archive of the ledger is damaged; "storedex ledger check" names it.', { cause })
}

function digestOf(text: Buffer | string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Archives of before it was recorded who spent lack the last two, and keep their text and its digest. */
type Line = [
  entry: number,
  spentAt: string,
  mode: Mode,
  meter: Meter,
  amount: number,
  period: string,
  request: string,
  key?: number | null,
  person?: number | null,
]

function textOf(rows: readonly LedgerRow[]): string {
  const lineOf = (row: LedgerRow): Line => [
    row.entry,
    row.spent_at.toISOString(),
    row.mode,
    row.meter,
    row.amount,
    row.period_start.toISOString(),
    row.request_id,
    row.key_id,
    row.person_id,
  ]
  return rows.map((row) => `${JSON.stringify(lineOf(row))}\n`).join('')
}

function readLine(line: string): LedgerRow {
  const [entry, spentAt, mode, meter, amount, period, request, key = null, user = null] = JSON.parse(line) as Line
  return {
    entry,
    spent_at: new Date(spentAt),
    mode,
    meter,
    amount,
    period_start: new Date(period),
    request_id: request,
    key_id: key,
    person_id: user,
  }
}

export interface PeriodKey {
  mode: Mode
  meter: Meter
  period_start: Date
}

/** The sum of entries in one period. */
export interface PeriodSum extends PeriodKey {
  entries: number
  amount: number
}

/** Equal for equal keys, for use in a map. */
export function formatPeriodKey({ mode, meter, period_start }: PeriodKey): string {
  return `${mode} ${meter} ${period_start.getTime()}`
}

/** The sum of entries per mode, meter and period. */
export function sumByPeriod(rows: readonly (PeriodKey & { amount: number })[]): Map<string, PeriodSum> {
  const sums = new Map<string, PeriodSum>()
  for (const { mode, meter, period_start, amount } of rows) {
    const name = formatPeriodKey({ mode, meter, period_start })
    const before = sums.get(name)
    sums.set(name, {
      mode,
      meter,
      period_start,
      entries: (before?.entries ?? 0) + 1,
      amount: (before?.amount ?? 0) + amount,
    })
  }
  return sums
}
