import { type Erasure, erasePeople, planErasures } from '../../catalogue/erasure/erase-people.ts'
import { findContactKeys, findPeopleByHashes } from '../../catalogue/erasure/queries.ts'
import { lockCatalogue } from '../../catalogue/writing/queries.ts'
import type { Client } from '../../foundation/db/pool.ts'
import { type ContactSeals, readSealedIdentityKey, tryOpenSeals } from '../../foundation/encryption/keyring.ts'
import { normalizeMailHost } from '../../foundation/kernel/channels/email.ts'
import type { DataKey } from '../../foundation/kernel/seal.ts'
import type { BackupHeader } from './manifest.ts'
import * as queries from './queries.ts'

const hostsAtOnce = 10_000

/**
 * The suppressions of the installation that a restore replaces. If the backup is of the same installation, they are kept,
 * and the people who were erased after the backup was made are erased again, in the restore's own transaction.
 */
export class KeptErasures {
  /** Null if there is nothing to keep. */
  readonly #seals: ContactSeals | null

  private constructor(seals: ContactSeals | null) {
    this.#seals = seals
  }

  /** Call it before the tables are dropped. */
  static async take(
    client: Client,
    keys: readonly DataKey[],
    { identity_key: backedUp }: BackupHeader,
  ): Promise<KeptErasures> {
    const hasInstallation = (await queries.readAppliedVersion(client)) !== null
    const present = hasInstallation ? await readSealedIdentityKey(client) : null
    if (present === null || backedUp === null) return new KeptErasures(null)
    const seals = tryOpenSeals(keys, Buffer.from(backedUp, 'base64'))
    // Hashes made with another key match nothing here.
    const probe = (each: ContactSeals | null) => each?.identities.hash('email', 'probe').hash
    const isSame = seals !== null && probe(seals) === probe(tryOpenSeals(keys, present))
    return new KeptErasures(isSame && (await queries.keepSuppressions(client)) ? seals : null)
  }

  /** Call it once the restored schema is the newest. Returns how many contacts were erased. */
  async eraseAgain(client: Client, now: Date): Promise<number> {
    if (!this.#seals) return 0
    const added = await queries.addKeptSuppressions(client)
    const hashesOf = (isSite: boolean) =>
      added.filter(({ kind }) => (kind === 'domain') === isSite).map(({ hash }) => hash)
    const [personal, sites] = [hashesOf(false), hashesOf(true)]
    if (added.length === 0) return 0
    await lockCatalogue(client)
    const people = personal.length > 0 ? await findPeopleByHashes(client, personal) : []
    const erasures: Erasure[] = await planErasures(client, this.#seals, people)
    if (sites.length > 0) {
      const hosts = await this.#findHosts(client, new Set(sites))
      const colleagues = await findContactKeys(client, sites, hosts)
      erasures.push(...colleagues.map((contact) => ({ contact, suppressed: [] })))
    }
    return erasePeople(client, erasures, now)
  }

  /** The hosts of stores that a suppressed domain stands for: the database has only the domain's hash. */
  async #findHosts(client: Client, sites: ReadonlySet<string>): Promise<string[]> {
    const found: string[] = []
    let hosts = await queries.readLiveHosts(client, '', hostsAtOnce)
    while (hosts.length > 0) {
      for (const host of hosts) {
        const { hash } = this.#seals!.identities.hash('domain', normalizeMailHost(host) ?? host)
        if (sites.has(hash)) found.push(host)
      }
      hosts = await queries.readLiveHosts(client, hosts.at(-1)!, hostsAtOnce)
    }
    return found
  }
}
