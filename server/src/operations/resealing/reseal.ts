import { replyRowIdentity } from '../../customers/idempotency/idempotency.ts'
import { type Pool, transact } from '../../foundation/db/pool.ts'
import {
  type ContactSeals,
  contactRowIdentity,
  exportPieceIdentity,
  readDataKeyOfIdentityKey,
  resealIdentityKey,
} from '../../foundation/encryption/keyring.ts'
import { allowLongStatements, countByDataKey, type DataKeyUse } from '../../foundation/encryption/queries.ts'
import { OperatorError } from '../../foundation/kernel/errors.ts'
import { SealError, type Sealer } from '../../foundation/kernel/seal.ts'
import * as queries from './queries.ts'

interface ResealContext {
  db: Pool
  seals: ContactSeals
}

export interface DataKeyStatus {
  id: string
  in_keyring: boolean
  /** Whether it is the key that seals. */
  seals: boolean
  contacts: number
  replies: number
  /** Whether the installation's identity key is sealed with it. */
  identity_key: boolean
}

/** What each key has sealed: the keys of the keyring in its order, then keys that it lacks. */
export async function readDataKeyStatus({ db, seals: { keyIds } }: ResealContext): Promise<DataKeyStatus[]> {
  const uses = new Map((await countUses(db)).map((use) => [use.id, use]))
  const identityKeyUse = await readDataKeyOfIdentityKey(db)
  return [...new Set([...keyIds, ...uses.keys()])].map((id) => ({
    id,
    in_keyring: keyIds.includes(id),
    seals: id === keyIds[0],
    contacts: uses.get(id)?.contacts ?? 0,
    replies: uses.get(id)?.replies ?? 0,
    identity_key: id === identityKeyUse,
  }))
}

export interface ResealProgress {
  done: number
  /** The rows to reseal at the start. */
  total: number
}

export interface ResealResult {
  resealed: number
  /** Rows that others sealed with an older key meanwhile. */
  remaining: number
}

/**
 * Reseals everything that the newest key did not seal, in small transactions while the service runs: a row is replaced only
 * if it has not changed since it was read. It can be stopped at any time; the next run does the rest.
 */
export async function resealEverything(
  { db, seals: { sealer, keyIds } }: ResealContext,
  onProgress?: (progress: ResealProgress) => void,
): Promise<ResealResult> {
  const countStale = async () => {
    const stale = (await countUses(db)).filter(({ id }) => id !== keyIds[0])
    return stale.reduce((sum, { contacts, replies }) => sum + contacts + replies, 0)
  }
  const total = await countStale()
  const run: Run = { db, sealer, resealed: 0, failures: 0, failure: null }
  const report = () => onProgress?.({ done: run.resealed, total })
  let remaining = total
  for (let pass = 1; remaining > 0 && pass <= maxPasses; pass++) {
    const before = run.resealed
    run.failures = 0
    await resealContacts(run, report)
    await resealReplies(run, report)
    await resealPieces(run, report)
    remaining = await countStale()
    if (run.resealed === before) break
  }
  if (await resealIdentityKey(db, sealer)) run.resealed++
  if (run.failure)
    throw new OperatorError(
      `Rows that cannot be opened were left unchanged: ${run.failures} (${run.failure.message}). Resealed: ${run.resealed}.`,
      { cause: run.failure },
    )
  return { resealed: run.resealed, remaining }
}

/** Each pass reseals what other processes sealed with an older key during the one before. */
const maxPasses = 5
const batchSize = 1_000

interface Run {
  db: Pool
  sealer: Sealer
  resealed: number
  failures: number
  failure: SealError | null
}

async function resealContacts(run: Run, report: () => void): Promise<void> {
  let position = { storeId: 0, number: -1 }
  while (true) {
    const { last, resealed } = await transact(run.db, async (client) => {
      await allowLongStatements(client)
      const rows = await queries.readSealedContacts(client, position, run.sealer.newestPrefix, batchSize)
      const replacements = rows.flatMap(({ store_id: storeId, number, sealed: before }) => {
        const after = before && reseal(run, before, contactRowIdentity(storeId, number))
        return after ? [{ storeId, number, before, after }] : []
      })
      const resealed = replacements.length > 0 ? await queries.replaceSealedContacts(client, replacements) : 0
      return { last: rows.at(-1), resealed }
    })
    if (!last) return
    position = { storeId: last.store_id, number: last.number }
    run.resealed += resealed
    report()
  }
}

async function resealReplies(run: Run, report: () => void): Promise<void> {
  for (const row of await queries.readStaleReplyKeys(run.db, run.sealer.newestPrefix)) {
    const key = { accountId: row.account_id, mode: row.mode, operation: row.operation, keyHash: row.key_hash }
    const reply = await queries.readSealedReply(run.db, key)
    const after = reply && reseal(run, reply, replyRowIdentity(key))
    if (after) run.resealed += await queries.replaceSealedReply(run.db, key, reply, after)
  }
  report()
}

async function resealPieces(run: Run, report: () => void): Promise<void> {
  for (const key of await queries.readStalePieceKeys(run.db, run.sealer.newestPrefix)) {
    const before = await queries.readSealedPiece(run.db, key)
    const identity = exportPieceIdentity({ accountId: key.account_id, id: key.export_id }, key.number)
    const after = before && reseal(run, before, identity)
    if (after) run.resealed += await queries.replaceSealedPiece(run.db, key, after)
  }
  report()
}

/** Null for bytes that do not open: they are left as they are and reported at the end. */
function reseal(run: Run, sealed: Buffer, identity: string): Buffer | null {
  try {
    return run.sealer.seal(run.sealer.open(sealed, identity), identity)
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    run.failures++
    run.failure ??= error
    return null
  }
}

function countUses(db: Pool): Promise<DataKeyUse[]> {
  return transact(db, async (client) => {
    await allowLongStatements(client)
    return countByDataKey(client)
  })
}
