import type { Lane, Queryable } from '../../foundation/db/pool.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import { networkOf } from '../../foundation/kernel/text/networks.ts'
import { clockToleranceMs } from '../../foundation/kernel/time.ts'
import { selectAccountsOfKeys, updateLastUsed } from './key-queries.ts'

const maxCached = 100_000
const maxWaiting = 1_024
const maxPerQuery = 500
/** An unresponsive database must not hold requests longer than their deadline. */
const answerMs = 5_000

interface Lookup {
  secretHash: Buffer
  resolve(accountId: number | null): void
  reject(error: unknown): void
}

/**
 * Finds the account of a key before admission, so that the request can be queued with others of its account. Results
 * are cached: keys are never deleted and never change their account. Unknown keys are looked up in batches, one
 * statement at a time. Anyone can invent well-formed keys, because the checksum is public; batching keeps them cheap
 * and does not delay real keys.
 */
export class KeyDirectory {
  readonly #openLane: () => Lane
  readonly #accounts = new Map<string, number>()
  #waiting: Lookup[] = []
  #isQuerying = false

  constructor(openLane: () => Lane) {
    this.#openLane = openLane
  }

  /** The account's id; null for an unknown key. A promise only when the database is queried. */
  accountOf(secretHash: Buffer): number | Promise<number | null> {
    const cached = this.#accounts.get(nameOfHash(secretHash))
    if (cached !== undefined) return cached
    if (this.#waiting.length >= maxWaiting)
      throw new Refusal('service_unavailable', 'The service is looking up too many new keys; try again in a moment.')
    const answer = new Promise<number | null>((resolve, reject) => {
      this.#waiting.push({ secretHash, resolve, reject })
    })
    if (!this.#isQuerying) void this.#drainLookups()
    return answer
  }

  async #drainLookups(): Promise<void> {
    this.#isQuerying = true
    while (this.#waiting.length > 0) {
      const lookups = this.#waiting.splice(0, maxPerQuery)
      try {
        const accounts = await this.#query(lookups.map(({ secretHash }) => secretHash))
        for (const { secretHash, resolve } of lookups) resolve(accounts.get(nameOfHash(secretHash)) ?? null)
      } catch (error) {
        for (const { reject } of lookups) reject(error)
      }
    }
    this.#isQuerying = false
  }

  async #query(secretHashes: Buffer[]): Promise<Map<string, number>> {
    const lane = this.#openLane()
    const giveUp = setTimeout(() => lane.abort(new Error('Query read timeout')), answerMs)
    try {
      const rows = await selectAccountsOfKeys(lane, secretHashes)
      const found = new Map(rows.map((row) => [nameOfHash(row.secret_hash), row.account_id]))
      if (this.#accounts.size + found.size > maxCached) this.#accounts.clear()
      for (const [name, accountId] of found) this.#accounts.set(name, accountId)
      return found
    } finally {
      clearTimeout(giveUp)
    }
  }
}

/** The hash of a key as the key of a map. */
export function nameOfHash(secretHash: Buffer): string {
  return secretHash.toString('latin1')
}

/** Failures per address and window before its connections are slowed down. */
const failuresAllowed = 100
const windowMs = 60_000
const maxAddresses = 10_000
const pauseMs = 500

/**
 * Counts rejected keys per address, to slow down guessing. No request is rejected for it: a real key works from the
 * same address, which may belong to an office or a proxy. IPv6 addresses count per /64 network.
 */
export class FailedKeyCounter {
  #counts = new Map<string, number>()
  #windowStart = 0

  /** Number of addresses and networks with a count. */
  get size(): number {
    return this.#counts.size
  }

  /** Counts a rejected key. Returns how long to pause its connection, in milliseconds; 0 for not at all. */
  recordFailure(address: string, nowMs = performance.now()): number {
    if (nowMs - this.#windowStart >= windowMs || this.#counts.size >= maxAddresses) {
      this.#counts = new Map()
      this.#windowStart = nowMs
    }
    const network = networkOf(address)
    const failures = (this.#counts.get(network) ?? 0) + 1
    this.#counts.set(network, failures)
    return failures > failuresAllowed ? pauseMs : 0
  }
}

const hourMs = 3_600_000
// Small enough to stay far below the statement timeout.
const keysPerStatement = 1_000

/**
 * Collects the hour of each key's last use for `api_keys.last_used_at`, so that admission need not write it. Each
 * process writes a key at most once an hour, and retries after a failed write.
 */
export class KeyUsageRecorder {
  readonly #unwritten = new Map<number, number>()
  /** The hour last written, for keys of the current hour. */
  readonly #written = new Map<number, number>()

  record(keyId: number, now: Date): void {
    const hour = now.getTime() - (now.getTime() % hourMs)
    if (this.#written.get(keyId) !== hour) this.#unwritten.set(keyId, hour)
  }

  async flush(db: Queryable, now: Date): Promise<void> {
    const used = [...this.#unwritten].map(([id, hour]) => ({ id, hour: new Date(hour) }))
    for (let from = 0; from < used.length; from += keysPerStatement) {
      const slice = used.slice(from, from + keysPerStatement)
      await updateLastUsed(db, slice, new Date(now.getTime() + clockToleranceMs))
      for (const { id, hour } of slice) {
        this.#written.set(id, hour.getTime())
        // The key may have been used in the next hour meanwhile.
        if (this.#unwritten.get(id) === hour.getTime()) this.#unwritten.delete(id)
      }
    }
    this.#forgetOtherHours(now)
  }

  #forgetOtherHours(now: Date): void {
    const hour = now.getTime() - (now.getTime() % hourMs)
    for (const [id, written] of this.#written) if (written !== hour) this.#written.delete(id)
  }
}
