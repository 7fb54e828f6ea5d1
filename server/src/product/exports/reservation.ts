import type { Entitlement } from '../../customers/accounts/account.ts'
import { type Budgets, noBudgets } from '../../customers/auth/budgets.ts'
import type { Charges } from '../../customers/ledger/charges.ts'
import { type MeterKey, releaseAmount, reserveAmount } from '../../customers/ledger/reservation-queries.ts'
import type { Client } from '../../foundation/db/pool.ts'
import type { ExportRow } from './export-row.ts'
import type { ExportFailure, StopReason } from './export-states.ts'
import { type ExportEnd, endExport, updateReservation } from './queries.ts'
import { closeFile } from './run/workbook.ts'

/** The reserved amounts of an export and where they are reserved. Counters are locked in the order of their names. */
function creditsMeter({ accountId, mode, keyId }: ExportRow, periodStart: Date): MeterKey {
  return { accountId, mode, meter: 'contact_credits', periodStart, keyId }
}

function exportsMeter({ accountId, mode, keyId }: ExportRow, periodStart: Date): MeterKey {
  return { accountId, mode, meter: 'store_exports', periodStart, keyId }
}

/** The deliveries of a chunk. */
interface ChunkDelivery {
  /** Contacts to reveal. */
  contactIds: readonly number[]
  storeIds: readonly number[]
  /** Of the periods in which the export has reserved. */
  entitlement: Entitlement
  now: Date
}

/** The charge of a chunk, and the account's state of its contacts afterwards. */
interface PaidChunk {
  credits: number
  storeExports: number
  reveals: { times: ReadonlyMap<number, Date>; fresh: ReadonlySet<number> }
}

/** Pays for a chunk of a locked export from what it has reserved. */
export async function spendReserved(
  client: Client,
  charges: Charges,
  row: ExportRow,
  { contactIds, storeIds, entitlement, now }: ChunkDelivery,
): Promise<PaidChunk> {
  const { accountId, mode, keyId, userId, requestId } = row
  // The statement finds the key that is counted.
  const key = keyId === null ? null : { id: keyId, counterKeyId: keyId, budgets: noBudgets }
  const sent = await charges.chargeWithin(client, [
    {
      ...{ caller: { accountId, mode, userId, key, entitlement }, admission: null, requestId, spentAt: now },
      spending: {
        ...(contactIds.length > 0 && { contact_credits: { ids: contactIds } }),
        ...(storeIds.length > 0 && { store_exports: { ids: [...new Set(storeIds)] } }),
        isReserved: true,
      },
    },
  ])
  const [paid] = sent!.outcomes
  if (paid?.state !== 'paid') throw new Error(`a reserved charge is ${paid?.state}`)
  const times = new Map([...paid.reveals].map(([id, { revealedAt }]) => [id, revealedAt]))
  const fresh = new Set([...paid.reveals].flatMap(([id, { isNew }]) => (isNew ? [id] : [])))
  const { contact_credits: credits = 0, store_exports: storeExports = 0 } = paid.spent
  return { credits, storeExports, reveals: { times, fresh } }
}

/** What an export wants to reserve in addition to what it has. */
export interface WantedReservation {
  credits: number
  storeExports: number
}

/**
 * Reserves for a locked export as much of what it wants as the account and the key's budgets have left. Its periods must
 * be those of the entitlement, or none.
 */
export async function reserveFor(
  client: Client,
  row: ExportRow,
  { limits, period, creditsPeriod }: Entitlement,
  budgets: Budgets,
  wanted: WantedReservation,
  plannedRows: number | null,
): Promise<void> {
  const allowed = {
    credits: leftBelow(row.maxCredits, row.chargedCredits + row.reservedCredits, wanted.credits),
    storeExports: leftBelow(row.maxStoreExports, row.chargedExports + row.reservedExports, wanted.storeExports),
  }
  const credits = await reserveAmount(client, creditsMeter(row, creditsPeriod.start), {
    wanted: allowed.credits,
    allowance: limits.contact_credits,
    budget: budgets.contact_credits,
  })
  const storeExports = await reserveAmount(client, exportsMeter(row, period.start), {
    wanted: allowed.storeExports,
    allowance: limits.store_exports,
    budget: budgets.store_exports,
  })
  await updateReservation(client, row, {
    periodStart: period.start,
    reservedExports: row.reservedExports + storeExports,
    creditsPeriodStart: creditsPeriod.start,
    reservedCredits: row.reservedCredits + credits,
    plannedRows,
  })
}

function leftBelow(bound: number | null, taken: number, wanted: number): number {
  return bound === null ? wanted : Math.min(wanted, Math.max(0, bound - taken))
}

/** Gives back what a locked export has reserved, in a period that is over; it prepares itself again in the new one. */
export async function releaseForNewPeriod(client: Client, row: ExportRow): Promise<void> {
  await updateReservation(client, row, {
    periodStart: null,
    reservedExports: 0,
    creditsPeriodStart: null,
    reservedCredits: 0,
    plannedRows: row.plannedRows,
  })
  await releaseCounters(client, row)
}

async function releaseCounters(client: Client, row: ExportRow): Promise<void> {
  if (row.creditsPeriodStart)
    await releaseAmount(client, creditsMeter(row, row.creditsPeriodStart), row.reservedCredits)
  if (row.periodStart) await releaseAmount(client, exportsMeter(row, row.periodStart), row.reservedExports)
}

/** How long a file can be downloaded. */
const fileRetentionMs = 72 * 3_600_000

export interface HowEnded {
  status: ExportEnd['status']
  stoppedBy?: StopReason
  error?: ExportFailure
  at: Date
}

/** Ends a locked export and releases what it has reserved, in the same transaction. Its file is what was paid. */
export async function endAndRelease(client: Client, row: ExportRow, { status, stoppedBy, error, at }: HowEnded) {
  const end: ExportEnd = {
    ...(status === 'expired' ? row : await closeFile(client, row)),
    status,
    stoppedBy: stoppedBy ?? null,
    error: error ?? null,
    at,
    expiresAt: new Date(at.getTime() + fileRetentionMs),
  }
  await endExport(client, row, end)
  await releaseCounters(client, row)
}
