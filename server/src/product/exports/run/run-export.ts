import type { WorkbookState } from '@storedex/workbook/write'
import { type Entitlement, entitlementAt } from '../../../customers/accounts/account.ts'
import type { PlanFile } from '../../../customers/accounts/plans.ts'
import { toAccountTerms } from '../../../customers/accounts/queries.ts'
import { system } from '../../../customers/auth/actor.ts'
import { budgetsOf } from '../../../customers/auth/budgets.ts'
import { transact } from '../../../foundation/db/pool.ts'
import { exportPieceIdentity } from '../../../foundation/encryption/keyring.ts'
import type { SearchEngine } from '../../../search/engines/engine.ts'
import type { Standby } from '../../../search/replica/standby.ts'
import type { AccountSets } from '../../exclusion/account-sets.ts'
import { type ExclusionContext, openExclusion } from '../../exclusion/exclude.ts'
import type { ExportPosition, ExportRow } from '../export-row.ts'
import type { ExportFailure } from '../export-states.ts'
import { selectPiece } from '../file-queries.ts'
import { createExportFormat } from '../format/export-format.ts'
import { lockExport, selectExportMembers } from '../queries.ts'
import { endAndRelease, releaseForNewPeriod, reserveFor, type WantedReservation } from '../reservation.ts'
import { computeCost } from '../walk/cost.ts'
import { openWalk } from '../walk/walk.ts'
import { digestOf, emptyFile, type FileEnd } from './file-writer.ts'
import { type ExportOwnerRow, readExportOwner } from './owner-queries.ts'
import { type ReadChunk, readChunk } from './read-chunk.ts'
import { type ChunkContext, fileOptionsOf, type HeldExport, LeaseLostError, writeChunk } from './write-chunk.ts'

export interface RunContext extends ChunkContext {
  search: SearchEngine
  standby?: Standby | null
  accountSets: AccountSets
  plans: PlanFile
}

/** How a run of this server relates to the others and to the machine. */
export interface RunControl {
  /** Throws `LeaseLostError` once the export is known to be lost. */
  checkLease(): void
  /** Waits for a turn of this server, and runs one step in it. */
  takeTurn<T>(step: () => Promise<T>): Promise<T>
  /** Whether the run should give the export up after its chunk. */
  shouldYield(): boolean
}

/** A file that this server has written before, so that it need not be read again to go on. */
export type KnownFile = FileEnd | undefined

/**
 * Runs an export that this server has taken, chunk by chunk, until it has ended or should be given up. Everything it decides is
 * in the database; it can be interrupted anywhere.
 */
export async function runExport(
  ctx: RunContext,
  claimed: ExportRow,
  control: RunControl,
  known: KnownFile,
): Promise<{ row: ExportRow; file: FileEnd }> {
  const members = claimed.query.listKind === null ? [] : await selectExportMembers(ctx.db, claimed)
  const { exclusion } = await openExclusion(
    exclusionContextOf(ctx, claimed, await readOwner(ctx, claimed)),
    claimed.query.exclude ?? undefined,
    {
      startedAt: new Date(claimed.query.startedAt),
    },
  )
  const held: HeldExport = {
    row: claimed,
    walk: await openWalk({ ...ctx, mode: claimed.mode }, claimed.query, members, exclusion),
    format: createExportFormat({ kind: claimed.kind, ...claimed.layout }),
    file: known && isAtEnd(ctx, known, claimed) ? known : await readFileEnd(ctx, claimed, control),
    ahead: null,
  }
  while (held.row.status === 'running' && !control.shouldYield()) {
    control.checkLease()
    await control.takeTurn(() => runStep(ctx, held, control))
  }
  return held
}

interface Owner {
  owner: ExportOwnerRow
  entitlement: Entitlement
}

/** The key or person that started the export, as of now. */
async function readOwner({ db, plans, clock }: RunContext, row: ExportRow): Promise<Owner> {
  const owner = await readExportOwner(db, row)
  return { owner, entitlement: entitlementAt(toAccountTerms(owner), plans, clock.now()) }
}

function exclusionContextOf(ctx: RunContext, row: ExportRow, { entitlement }: Owner): ExclusionContext {
  const { accountId, mode, requestId, userId } = row
  const caller = { accountId, mode, key: null, userId, scopes: null, entitlement, rate: {} }
  return { ...ctx, actor: system, now: ctx.clock.now(), requestId, caller }
}

async function runStep(ctx: RunContext, held: HeldExport, control: RunControl): Promise<void> {
  const { owner, entitlement } = await readOwner(ctx, held.row)
  const refusal = refusalOf(held.row, owner, entitlement.accessOpen)
  if (refusal) return failHeld(ctx, held, refusal)

  const isSameTime = (one: Date | null, other: Date) => one?.getTime() === other.getTime()
  const { row } = held
  const isPrepared =
    isSameTime(row.periodStart, entitlement.period.start) &&
    isSameTime(row.creditsPeriodStart, entitlement.creditsPeriod.start)
  const reserve = (wanted: WantedReservation, plannedRows: number | null) =>
    changeHeld(ctx, held, async (client, locked) => {
      await reserveFor(client, locked, entitlement, budgetsOf(owner), wanted, plannedRows)
    })
  if (!isPrepared) {
    if (row.periodStart) await changeHeld(ctx, held, releaseForNewPeriod)
    const account = { accountId: row.accountId, mode: row.mode, periodStart: entitlement.period.start }
    const left = {
      rows: row.maxRows - row.rows,
      credits: row.maxCredits === null ? Number.POSITIVE_INFINITY : row.maxCredits - row.chargedCredits,
      storeExports: row.maxStoreExports === null ? Number.POSITIVE_INFINITY : row.maxStoreExports - row.chargedExports,
    }
    const cost = await computeCost({ ...ctx, account }, row.kind, held.walk, { after: row.after, bounds: left }, () =>
      control.checkLease(),
    )
    await reserve({ credits: cost.credits, storeExports: cost.new_exports }, row.rows + cost.rows)
  }

  await writeNext(ctx, held, entitlement, (wanted) => reserve(wanted, held.row.plannedRows))
}

/** Writes the next chunk of a prepared export, and meanwhile reads the one behind it. */
async function writeNext(
  ctx: RunContext,
  held: HeldExport,
  entitlement: Entitlement,
  reserve: (wanted: WantedReservation) => Promise<void>,
): Promise<void> {
  const { row, ahead } = held
  held.ahead = null
  const chunk =
    ahead && isSamePosition(ahead.after, row.after) ? ahead : await readChunk(ctx, held, row.after, held.file.workbook)
  const isLast = !chunk.hasMore || row.rows + chunk.positions.length >= row.maxRows
  // The next step reads again, and reports what fails.
  const reading = isLast ? null : readChunk(ctx, held, chunk.positions.at(-1)!, stateAfter(chunk)).catch(() => null)
  let written = await writeChunk(ctx, held, chunk, { isFinal: false, entitlement })
  if (!('file' in written)) {
    // More is needed than when it was planned: others spent, or the catalogue grew.
    await reserve(written)
    written = await writeChunk(ctx, held, chunk, { isFinal: true, entitlement })
    if (!('file' in written)) throw new Error('a final chunk has no shortage')
  }
  Object.assign(held, written)
  // Within this turn, so that what an export uses is in the time after which it rests.
  held.ahead = await reading
}

/** Of a workbook once a chunk is written whole. */
function stateAfter({ stores }: ReadChunk): WorkbookState | null {
  return stores && typeof stores.content !== 'string' ? stores.content.state : null
}

function isSamePosition(one: ExportPosition | null, other: ExportPosition | null): boolean {
  return one?.storeId === other?.storeId && one?.contact === other?.contact
}

function refusalOf({ userId }: ExportRow, owner: ExportOwnerRow, accessOpen: boolean): ExportFailure | null {
  if (!accessOpen) return 'api_access_required'
  if (owner.key_unusable) return 'revoked_api_key'
  if (userId !== null && (owner.role === null || owner.role === 'viewer')) return 'insufficient_role'
  return null
}

/** Changes the row of an export whose lease this server holds, and reads it again. */
async function changeHeld(
  ctx: RunContext,
  held: HeldExport,
  change: (client: Parameters<typeof lockExport>[0], locked: ExportRow) => Promise<void>,
): Promise<void> {
  held.row = await transact(ctx.db, async (client) => {
    const locked = await lockExport(client, held.row)
    if (locked?.status !== 'running' || locked.lease !== held.row.lease) throw new LeaseLostError()
    await change(client, locked)
    return (await lockExport(client, held.row))!
  })
}

/** Ends an export as failed, with a file of what was paid. */
export async function failHeld(ctx: RunContext, held: { row: ExportRow }, error: ExportFailure): Promise<void> {
  const at = ctx.clock.now()
  await transact(ctx.db, async (client) => {
    const locked = await lockExport(client, held.row)
    if (locked?.status !== 'running' || locked.lease !== held.row.lease) throw new LeaseLostError()
    await endAndRelease(client, locked, { status: 'failed', error, at })
  })
  held.row = { ...held.row, status: 'failed' }
}

function isAtEnd(ctx: RunContext, end: FileEnd, row: ExportRow): boolean {
  const isAsLong = end.pieces === row.pieces && end.bytes === row.bytes
  return isAsLong && digestOf(fileOptionsOf(ctx, row), end).equals(row.sha256)
}

/** Reads what another run has written, to go on with its hash. */
async function readFileEnd(ctx: RunContext, row: ExportRow, control: RunControl): Promise<FileEnd> {
  const end = { ...emptyFile(), workbook: row.workbook }
  for (let number = 0; number < row.pieces; number++) {
    control.checkLease()
    const piece = await selectPiece(ctx.db, row, number)
    if (!piece) throw new LeaseLostError()
    const content = piece.sealed ? ctx.seals.sealer.open(piece.bytes, exportPieceIdentity(row, number)) : piece.bytes
    end.hash.update(content)
    end.bytes += content.length
    end.pieces++
  }
  if (!isAtEnd(ctx, end, row)) throw new Error(`the file of export ${row.id} is not as its row says`)
  return end
}
