import { Readable } from 'node:stream'
import type { Pool } from '../../foundation/db/pool.ts'
import { formatCsvRow } from '../../foundation/kernel/csv.ts'
import type { IdSealer } from '../../foundation/kernel/ids.ts'
import { type Access, authorize } from '../auth/access.ts'
import { recordAudit } from '../auth/audit.ts'
import type { CallerContext } from '../auth/caller.ts'
import { type LedgerEntry, readLedgerEntries } from '../ledger/check.ts'
import { type LedgerFileQuery, openLedgerFilters } from './parameters.ts'
import { nameSpenders } from './spenders.ts'

/** All that an account has spent, as a file. */
export const takingLedger = { member: { role: 'viewer' }, kind: 'exit' } as const satisfies Access

interface FileContext extends CallerContext {
  db: Pool
  ids: IdSealer
}

const columns = ['spent_at', 'mode', 'meter', 'amount', 'period_start', 'spent_by', 'spent_by_id', 'request_id']

/**
 * The entries of an account as CSV, oldest first, packed ones included. They are read as the reader takes them; the stream fails,
 * instead of ending early, when not all can be read. Resolves once the first of them are there.
 */
export async function openLedgerFile(ctx: FileContext, query: LedgerFileQuery): Promise<Readable> {
  authorize(ctx, takingLedger)
  const { since, until } = openLedgerFilters(ctx.ids, query)
  const pages = readLedgerEntries(ctx, { accountId: ctx.caller.accountId, since, until })
  const parts = formatPages(ctx, query, pages)
  const first = await parts.next()
  await auditFile(ctx, query)
  return Readable.from(startWith(first.value ?? '', parts), { objectMode: false })
}

function auditFile(ctx: FileContext, { mode = 'live', meter }: LedgerFileQuery): Promise<void> {
  const { accountId } = ctx.caller
  return recordAudit(ctx.db, ctx, { accountId, action: 'ledger.downloaded', details: { mode, meter: meter ?? null } })
}

async function* startWith(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first
  yield* rest
}

async function* formatPages(
  ctx: FileContext,
  { mode = 'live', meter, key, person: user }: LedgerFileQuery,
  pages: AsyncIterable<LedgerEntry[]>,
): AsyncGenerator<string> {
  let head = formatCsvRow(columns)
  for await (const page of pages) {
    const wanted = page.filter(
      (entry) =>
        entry.mode === mode &&
        (meter === undefined || entry.meter === meter) &&
        (key === undefined || entry.key === key) &&
        (user === undefined || entry.person === user),
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
  const spenderOf = await nameSpenders({ db: ctx.db, ids: ctx.ids, accountId: ctx.caller.accountId }, rows)
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
