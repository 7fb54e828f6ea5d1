import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { formatCsvRow } from '../../kernel/csv.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { IdSealer } from '../../kernel/ids.ts'
import { type LedgerEntry, withLedgerEntries } from '../../usage/ledger.ts'
import type { MemberContext } from '../access.ts'
import { nameSpenders } from '../spenders.ts'
import { type LedgerFileQuery, openLedgerFilters } from './parameters.ts'

interface FileContext extends MemberContext {
  ids: IdSealer
}

const columns = ['spent_at', 'mode', 'meter', 'amount', 'period_start', 'spent_by', 'spent_by_id', 'request_id']

// Each file holds a connection while it is written, and its reader may be slow.
const accountsWithFile = new Set<number>()
const maxWritingMs = 600_000

/**
 * The entries of an account as CSV, oldest first, packed ones included. The stream is written at the reader's speed; it
 * fails, instead of ending early, when not all entries can be read. Resolves once the first of them are there.
 */
export async function openLedgerFile(ctx: FileContext, query: LedgerFileQuery): Promise<Readable> {
  const { since, until } = openLedgerFilters(ctx.ids, query)
  const accountId = ctx.account.id
  if (accountsWithFile.has(accountId))
    throw new ApiError('rate_limit_exceeded', 'A file of this ledger is being written; wait until it is complete.', {
      retryAfterSeconds: 10,
    })
  accountsWithFile.add(accountId)
  const file = new PassThrough()
  const signal = AbortSignal.timeout(maxWritingMs)
  const written = withLedgerEntries(ctx, { accountId, since, until }, (pages) =>
    pipeline(Readable.from(formatPages(ctx, query, pages)), file, { signal, end: false }),
  ).finally(() => accountsWithFile.delete(accountId))
  // It ends after the transaction, so that whoever has read it can ask for the next one.
  written.then(
    () => file.end(),
    (error) => file.destroy(error),
  )
  await Promise.race([once(file, 'readable'), written])
  return file
}

async function* formatPages(
  ctx: FileContext,
  { mode = 'live', meter, key, person }: LedgerFileQuery,
  pages: AsyncIterable<LedgerEntry[]>,
): AsyncGenerator<string> {
  let head = formatCsvRow(columns)
  for await (const page of pages) {
    const wanted = page.filter(
      (entry) =>
        entry.mode === mode &&
        (meter === undefined || entry.meter === meter) &&
        (key === undefined || entry.key === key) &&
        (person === undefined || entry.person === person),
    )
    if (wanted.length === 0) continue
    yield head + (await formatPage(ctx, wanted))
    head = ''
  }
  if (head !== '') yield head
}

async function formatPage(ctx: FileContext, page: readonly LedgerEntry[]): Promise<string> {
  const rows = page.map((entry) => ({
    key_id: numberOf(ctx.ids, entry.key),
    person_id: numberOf(ctx.ids, entry.person),
  }))
  const spenderOf = await nameSpenders({ db: ctx.db, ids: ctx.ids, accountId: ctx.account.id }, rows)
  const lines = page.map((entry, index) => {
    const spender = spenderOf(rows[index]!)
    const { spent_at, mode, meter, amount, period_start, request_id } = entry
    return formatCsvRow([
      ...[spent_at, mode, meter, amount, period_start],
      ...[spender?.name ?? null, spender?.id ?? null, request_id],
    ])
  })
  return lines.join('')
}

function numberOf(ids: IdSealer, id: string | null): number | null {
  return id === null ? null : (ids.open(id)?.value ?? null)
}
