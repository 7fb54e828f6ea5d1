import type { Client } from '../../foundation/db/pool.ts'
import { createIdSealer, type IdSealer, type Mode } from '../../foundation/kernel/ids.ts'
import type { SequenceState } from './manifest.ts'
import { raiseSequences } from './queries.ts'
import * as queries from './stricter-queries.ts'

/** How many rows of a restored backup were changed because something was stricter in the installation that it replaced. */
interface KeptRestrictions {
  accounts: number
  keys: number
  people: number
  operators: number
  passwords: number
  passkeys: number
  memberships: number
}

/** A key that was not valid here before the restore. */
interface RevivedKey {
  id: string
  account: string
  name: string
  mode: Mode
  /** The first and last characters of the secret. */
  display: string
}

/** An operator who was none here before the restore. */
interface RevivedOperator {
  id: string
  email: string
  name: string
}

export interface ComparedInstallations {
  /** Null if the backup is of another installation, or there was none. */
  kept: KeptRestrictions | null
  revived: { keys: RevivedKey[]; operators: RevivedOperator[] }
  /** Accounts whose owners were all removed since the backup. */
  without_owner: string[]
}

/**
 * The installation that a restore replaces, as far as it can be stricter than the backup. If the backup is of the same
 * installation, what was taken back since stays taken back, and the audit log is kept: after an incident, a restore must
 * not give everything back. Removals are read from the audit log. A missing row does not show one:
 * the backup may be newer than what it replaces, which came from an older backup.
 */
export class ReplacedInstallation {
  readonly #secret: Buffer | null

  private constructor(secret: Buffer | null) {
    this.#secret = secret
  }

  /** Call it before the tables are dropped. */
  static async keep(client: Client): Promise<ReplacedInstallation> {
    await queries.keepTables(client)
    return new ReplacedInstallation(await queries.readPublicIdSecret(client))
  }

  /** Call it once the restored schema is the newest. */
  async compare(
    client: Client,
    { now, sequences }: { now: Date; sequences: readonly SequenceState[] },
  ): Promise<ComparedInstallations> {
    await queries.completeKeptTables(client)
    const secret = await queries.readPublicIdSecret(client)
    const isSame = secret !== null && (this.#secret?.equals(secret) ?? false)
    // A database of before its first start has no secret, and nothing that is named by an id.
    const ids = secret && createIdSealer(secret)
    // The audit log that is kept names people, keys and accounts by number: no other ones may get these numbers.
    if (isSame) await raiseSequences(client, sequences)
    const owned = await queries.readOwnedAccounts(client)
    const kept = isSame ? await keepStricter(client, ids!) : null
    if (!ids) return { kept, revived: { keys: [], operators: [] }, without_owner: [] }
    const stillOwned = new Set(await queries.readOwnedAccounts(client))
    return {
      kept,
      revived: {
        keys: (await queries.readRevivedKeys(client, now)).map((key) => ({
          id: ids.seal('key', key.id),
          account: ids.seal('account', key.account_id),
          name: key.name,
          mode: key.mode,
          display: `sdx_${key.mode}_${key.shown_first}…${key.shown_last}`,
        })),
        operators: (await queries.readRevivedOperators(client, isSame)).map(({ id, email, name }) => ({
          id: ids.seal('person', id),
          email,
          name,
        })),
      },
      without_owner: owned.filter((id) => !stillOwned.has(id)).map((id) => ids.seal('account', id)),
    }
  }
}

async function keepStricter(client: Client, ids: IdSealer): Promise<KeptRestrictions> {
  const removals = (await queries.readRemovals(client)).flatMap(({ action, account_id: accountId, target, at }) => {
    const opened = ids.open(target)
    return opened?.kind === 'person' ? [{ action, accountId, userId: opened.value, at }] : []
  })
  const removed = removals.filter(({ action }) => action === 'person.removed')
  const ended = removals.filter(({ action }) => action !== 'person.removed')
  const kept = {
    accounts: await queries.keepAccountEnds(client),
    keys: await queries.keepKeyLimits(client),
    people: await queries.deleteRemovedPeople(
      client,
      removed.map(({ userId: id, at }) => ({ id, at })),
    ),
    operators: await queries.keepOperatorMarks(client),
    passwords: await queries.keepPasswords(client),
    passkeys: await queries.keepPasskeyRemovals(client),
    memberships: (await queries.deleteEndedMemberships(client, ended)) + (await queries.keepRoles(client)),
  }
  await queries.mergeAuditLogs(client)
  return kept
}
