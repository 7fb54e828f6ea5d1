import type { Client, Pool } from '../../db/pool.ts'
import { transact } from '../../db/pool.ts'
import type { Clock } from '../../kernel/time.ts'
import { type MeterKey, spendReserved } from '../../ledger/reservation-queries.ts'
import type { ExportRow } from '../export-row.ts'
import type { StopReason } from '../export-states.ts'
import { insertPieces } from '../file-queries.ts'
import type { ExportFormat } from '../format/export-format.ts'
import { advanceExport, lockExport } from '../queries.ts'
import { endAndRelease, metersOf } from '../reservation.ts'
import { selectExportedStores, selectRevealedContacts } from '../walk/cost-queries.ts'
import type { Walk } from '../walk/walk.ts'
import { type Budget, type ChosenRows, chooseRows, type Owned } from './choose-rows.ts'
import { insertReveals, insertStoreExports, selectRevealTimes } from './fetch-queries.ts'
import { type FileEnd, prepareContent } from './file-writer.ts'
import { type Candidate, holdCandidates, type ItemContext, mapInSteps, type Reveals } from './items.ts'
import { type ChunkReadContext, formatRows, type ReadChunk } from './read-chunk.ts'

/** Another server has the export by now, or it has ended. */
export class LeaseLostError extends Error {}

export interface ChunkContext extends ItemContext, ChunkReadContext {
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
  { isFinal }: { isFinal: boolean },
): Promise<WrittenChunk | Shortage> {
  const { row, format } = held
  return transact(ctx.db, async (client) => {
    // One moment for everything that this chunk writes; what it delivers is never excluded by the export itself.
    const now = new Date(Math.max(ctx.clock.now().getTime(), Date.parse(row.query.startedAt)))
    const candidates = stores?.candidates ?? (await holdCandidates(ctx, client, row, positions))
    const budget = budgetOf(row)
    const chosen = chooseRows(candidates, row.kind === 'contacts', budget, await readOwned(client, row, candidates))
    if (isShort(chosen) && !isFinal) return shortageOf(chosen, candidates, row)
    const paid = await deliver(client, row, chosen.rows, now)
    const isWhole = chosen.rows.length === candidates.length
    const render = () => mapInSteps(chosen.rows, (each) => each.render(paid.reveals))
    const text = stores && isWhole ? stores.text : await formatRows(format, await render())
    const content = await prepareContent(fileOptionsOf(ctx, row), row, held.file, text)

    const locked = await lockExport(client, row)
    if (locked?.status !== 'running' || locked.turn !== row.turn) throw new LeaseLostError()
    if (content.pieces.length > 0)
      await insertPieces(client, row, { ...content, contactIds: contactIdsOf(chosen.rows) })
    const after = positions.at(-1) ?? row.after
    const progress = { rows: chosen.rows.length, storeExports: paid.storeExports, credits: paid.credits }
    const { pieces, bytes } = content.end
    await advanceExport(client, row, { ...progress, pieces, bytes, sha256: content.sha256, after })
    const spender = { requestId: row.requestId, personId: row.personId, now }
    const spend = (meter: MeterKey, amount: number) => spendReserved(client, meter, { ...spender, amount })
    const meters = metersOf(row)
    await spend(meters.credits, paid.credits)
    await spend(meters.storeExports, paid.storeExports)
    const stoppedBy = chosen.stoppedBy ?? reasonToStop(row, chosen.rows.length, hasMore)
    const advanced = (await lockExport(client, row))!
    if (stoppedBy) await endAndRelease(client, advanced, { status: 'ready', stoppedBy, at: now })
    return { row: stoppedBy ? { ...advanced, status: 'ready' } : advanced, file: content.end }
  })
}

export function fileOptionsOf(
  { seals }: Pick<ItemContext, 'seals'>,
  { kind, layout }: Pick<ExportRow, 'kind' | 'layout'>,
) {
  return { gzip: layout.gzip, sealer: kind === 'contacts' ? seals.sealer : null }
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

/** Takes the rows for the account; what is new has to be paid. */
async function deliver(
  client: Client,
  row: ExportRow,
  rows: readonly Candidate[],
  now: Date,
): Promise<{ reveals: Reveals; credits: number; storeExports: number }> {
  const delivery = { accountId: row.accountId, mode: row.mode, now }
  const contactIds = (contactIdsOf(rows) ?? []).sort((a, b) => a - b)
  const isReveal = row.kind === 'contacts' && contactIds.length > 0
  const fresh = isReveal ? await insertReveals(client, delivery, row, contactIds) : new Set<number>()
  const times = contactIds.length > 0 ? await selectRevealTimes(client, delivery, contactIds) : new Map<number, Date>()
  const storeIds = rows.map(({ storeId }) => storeId)
  const storeExports = storeIds.length > 0 ? await insertStoreExports(client, delivery, row.periodStart!, storeIds) : 0
  return { reveals: { times, fresh }, credits: fresh.size, storeExports }
}

function contactIdsOf(rows: readonly Candidate[]): number[] | null {
  const ids = rows.flatMap(({ contactId }) => (contactId === null ? [] : [contactId]))
  return ids.length > 0 ? ids : null
}
