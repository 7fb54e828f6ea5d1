import type { Entitlement } from '../../../customers/accounts/account.ts'
import type { Charges } from '../../../customers/ledger/charges.ts'
import type { Client, Pool } from '../../../foundation/db/pool.ts'
import { transact } from '../../../foundation/db/pool.ts'
import type { Clock } from '../../../foundation/kernel/time.ts'
import type { ExportRow } from '../export-row.ts'
import type { StopReason } from '../export-states.ts'
import { insertPieces } from '../file-queries.ts'
import type { ExportFormat } from '../format/export-format.ts'
import { advanceExport, lockExport } from '../queries.ts'
import { endAndRelease, spendReserved } from '../reservation.ts'
import { selectExportedStores, selectRevealedContacts } from '../walk/cost-queries.ts'
import type { Walk } from '../walk/walk.ts'
import { type Budget, type ChosenRows, chooseRows, type Owned } from './choose-rows.ts'
import { selectRevealTimes } from './fetch-queries.ts'
import { type FileEnd, type FileOptions, isBehind, prepareContent } from './file-writer.ts'
import { type Candidate, holdCandidates, type ItemContext, mapInSteps, type Reveals } from './items.ts'
import { type ChunkReadContext, formatRows, type ReadChunk } from './read-chunk.ts'
import { workbookOptionsOf } from './workbook.ts'

/** Another server has the export by now, or it has ended. */
export class LeaseLostError extends Error {}

export interface ChunkContext extends ItemContext, ChunkReadContext {
  charges: Charges
  db: Pool
  clock: Clock
}

/** An export that this server has, as its row was at the last commit. */
export interface HeldExport {
  row: ExportRow
  walk: Walk
  format: ExportFormat
  file: FileEnd
  /** What follows, read while the last chunk was written. */
  ahead: ReadChunk | null
}

/** What would be needed beyond what is reserved. */
export interface Shortage {
  credits: number
  storeExports: number
}

export interface WrittenChunk {
  row: ExportRow
  file: FileEnd
}

/**
 * Writes a chunk of an export that was read: its rows, what they cost, its pieces and where the export stands are one transaction,
 * so a crash leaves all of it or nothing. With the last chunk the export ends. Returns a shortage, and writes nothing, if the
 * reservation does not cover the chunk, unless `isFinal`: then the export ends before the first row it cannot pay.
 */
export async function writeChunk(
  ctx: ChunkContext,
  held: HeldExport,
  { positions, hasMore, stores }: ReadChunk,
  { isFinal, entitlement }: { isFinal: boolean; entitlement: Entitlement },
): Promise<WrittenChunk | Shortage> {
  const { row } = held
  return transact(ctx.db, async (client) => {
    // One moment for everything that this chunk writes; what it delivers is never excluded by the export itself.
    const now = new Date(Math.max(ctx.clock.now().getTime(), Date.parse(row.query.startedAt)))
    const candidates = stores?.candidates ?? (await holdCandidates(ctx, client, row, positions))
    const budget = budgetOf(row)
    const chosen = chooseRows(candidates, row.kind === 'contacts', budget, await readOwned(client, row, candidates))
    if (isShort(chosen) && !isFinal) return shortageOf(chosen, candidates, row)
    const isWhole = chosen.rows.length === candidates.length
    const write = async (reveals: Reveals) => {
      const render = () => mapInSteps(chosen.rows, (each) => each.render(reveals))
      const isUsable = isWhole && stores !== null && isBehind(stores.content, held.file)
      const added = isUsable ? stores.content : await formatRows(held, await render(), held.file.workbook)
      return prepareContent(fileOptionsOf(ctx, row), row, held.file, added)
    }
    // The counters are locked last, so the content is written as it will be unless others reveal the same people just now.
    const expected = await expectReveals(client, row, chosen.rows, now)
    let content = await write(expected)

    const locked = await lockExport(client, row)
    if (locked?.status !== 'running' || locked.lease !== row.lease) throw new LeaseLostError()
    const paid = await spendReserved(client, ctx.charges, row, {
      contactIds: row.kind === 'contacts' ? (contactIdsOf(chosen.rows) ?? []) : [],
      storeIds: chosen.rows.map(({ storeId }) => storeId),
      entitlement,
      now,
    })
    if (row.kind === 'contacts' && !areSame(paid.reveals, expected)) content = await write(paid.reveals)
    if (content.pieces.length > 0)
      await insertPieces(client, row, { ...content, contactIds: contactIdsOf(chosen.rows) })
    const after = positions.at(-1) ?? row.after
    const progress = { rows: chosen.rows.length, storeExports: paid.storeExports, credits: paid.credits }
    const { pieces, bytes, workbook } = content.end
    await advanceExport(client, row, { ...progress, pieces, bytes, sha256: content.sha256, workbook, after })
    const stoppedBy = chosen.stoppedBy ?? reasonToStop(row, chosen.rows.length, hasMore)
    const advanced = (await lockExport(client, row))!
    if (stoppedBy) await endAndRelease(client, advanced, { status: 'ready', stoppedBy, at: now })
    return { row: stoppedBy ? { ...advanced, status: 'ready' } : advanced, file: content.end }
  })
}

export function fileOptionsOf(
  { seals }: Pick<ItemContext, 'seals'>,
  row: Pick<ExportRow, 'kind' | 'layout' | 'createdAt'>,
): FileOptions {
  const sealer = row.kind === 'contacts' ? seals.sealer : null
  return { gzip: row.layout.gzip, sealer, workbook: workbookOptionsOf(row) }
}

function reasonToStop(row: ExportRow, delivered: number, hasMore: boolean): StopReason | null {
  if (!hasMore) return 'end'
  return row.rows + delivered >= row.maxRows ? 'max_rows' : null
}

function budgetOf(row: ExportRow): Budget {
  const isAtMaximum = row.maxCredits !== null && row.chargedCredits + row.reservedCredits >= row.maxCredits
  return {
    rows: row.maxRows - row.rows,
    credits: row.reservedCredits,
    storeExports: row.reservedExports,
    creditsBound: isAtMaximum ? 'max_credits' : 'credits',
  }
}

/** Reads what the account has of the candidates, as far as the reservation may not cover all of them. */
async function readOwned(client: Client, row: ExportRow, candidates: readonly Candidate[]): Promise<Owned> {
  const { accountId, mode, periodStart } = row
  const storeIds = [...new Set(candidates.map(({ storeId }) => storeId))]
  const contactIds = candidates.flatMap(({ contactId }) => (contactId === null ? [] : [contactId]))
  const account = { accountId, mode, periodStart: periodStart! }
  const needsCredits = row.kind === 'contacts' && contactIds.length > row.reservedCredits
  return {
    exportedStores:
      storeIds.length > row.reservedExports ? await selectExportedStores(client, account, storeIds) : null,
    revealedContacts: needsCredits ? await selectRevealedContacts(client, account, contactIds) : null,
  }
}

function isShort({ stoppedBy }: ChosenRows): boolean {
  return stoppedBy === 'credits' || stoppedBy === 'max_credits' || stoppedBy === 'exports'
}

/** At most what the rest of the chunk needs. */
function shortageOf({ rows }: ChosenRows, candidates: readonly Candidate[], row: ExportRow): Shortage {
  const rest = candidates.slice(rows.length, row.maxRows - row.rows)
  return {
    credits: row.kind === 'contacts' ? rest.length : 0,
    storeExports: new Set(rest.map(({ storeId }) => storeId)).size,
  }
}

/** The account's state of the rows once they are paid for, unless another request reveals some meanwhile. */
async function expectReveals(
  client: Client,
  { kind, accountId, mode }: ExportRow,
  rows: readonly Candidate[],
  now: Date,
): Promise<Reveals> {
  const contactIds = contactIdsOf(rows) ?? []
  if (contactIds.length === 0) return { times: new Map(), fresh: new Set() }
  const times = await selectRevealTimes(client, { accountId, mode }, contactIds)
  if (kind !== 'contacts') return { times, fresh: new Set() }
  const fresh = contactIds.filter((id) => !times.has(id))
  return { times: new Map([...times, ...fresh.map((id) => [id, now] as const)]), fresh: new Set(fresh) }
}

/** Those that are new are among those that were expected to be: others can only have revealed some of them meanwhile. */
function areSame(paid: Reveals, expected: Reveals): boolean {
  return paid.fresh.size === expected.fresh.size
}

function contactIdsOf(rows: readonly Candidate[]): number[] | null {
  const ids = rows.flatMap(({ contactId }) => (contactId === null ? [] : [contactId]))
  return ids.length > 0 ? ids : null
}
