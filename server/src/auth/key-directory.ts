import { isIPv6 } from 'node:net'
import type { Lane, Queryable } from '../db/pool.ts'
import { hashApiKey, parseApiKey } from '../kernel/api-key.ts'
import { ApiError } from '../kernel/errors.ts'
import { clockToleranceMs } from '../kernel/time.ts'
import { selectAccountsOfKeys, updateLastUsed } from './key-queries.ts'

const maxRemembered = 100_000
const maxWaiting = 1_024
const maxAtOnce = 500
/** A database that has stopped answering must not hold requests for longer than they may take. */
const answerMs = 5_000

interface Question {
  secretHash: Buffer
  resolve(accountId: number | null): void
  reject(error: unknown): void
}

/**
 * Says which account a key belongs to before the key is admitted, so that a request can be queued with its account's
 * others. What was found once is remembered: keys are never deleted and never change their account. Keys not seen since
 * the start are looked up together, in one statement at a time for all of them. Keys can be made up by the thousand, since
 * their checksum is public; so they cost next to nothing, and a real one among them is found with the same statement.
 */
export class KeyDirectory {
  readonly #openLane: () => Lane
  readonly #accounts = new Map<string, number>()
  #waiting: Question[] = []
  #isAsking = false

  constructor(openLane: () => Lane) {
    this.#openLane = openLane
  }

  /** The account's id; null for a key that does not exist. A promise only where the database has to be asked. */
  accountOf(secretHash: Buffer): number | Promise<number | null> {
    const remembered = this.#accounts.get(nameOf(secretHash))
    if (remembered !== undefined) return remembered
    if (this.#waiting.length >= maxWaiting)
      throw new ApiError('service_unavailable', 'The service is looking up too many new keys; try again in a moment.')
    const answer = new Promise<number | null>((resolve, reject) => {
      this.#waiting.push({ secretHash, resolve, reject })
    })
    if (!this.#isAsking) void this.#askUntilNoneWait()
    return answer
  }

  async #askUntilNoneWait(): Promise<void> {
    this.#isAsking = true
    while (this.#waiting.length > 0) {
      const questions = this.#waiting.splice(0, maxAtOnce)
      try {
        const accounts = await this.#ask(questions.map(({ secretHash }) => secretHash))
        for (const { secretHash, resolve } of questions) resolve(accounts.get(nameOf(secretHash)) ?? null)
      } catch (error) {
        for (const { reject } of questions) reject(error)
      }
    }
    this.#isAsking = false
  }

  async #ask(secretHashes: Buffer[]): Promise<Map<string, number>> {
    const lane = this.#openLane()
    const giveUp = setTimeout(() => lane.abort(new Error('Query read timeout')), answerMs)
    try {
      const rows = await selectAccountsOfKeys(lane, secretHashes)
      const found = new Map(rows.map((row) => [nameOf(row.secret_hash), row.account_id]))
      if (this.#accounts.size + found.size > maxRemembered) this.#accounts.clear()
      for (const [name, accountId] of found) this.#accounts.set(name, accountId)
      return found
    } finally {
      clearTimeout(giveUp)
    }
  }
}

function nameOf(secretHash: Buffer): string {
  return secretHash.toString('latin1')
}

/** The hash of the key in an `Authorization` header. Throws the refusal of a header that holds no well-formed key. */
export function readBearerKeyHash(authorization: string | undefined): Buffer {
  if (!authorization)
    throw new ApiError('missing_api_key', 'Send your API key in the header "Authorization: Bearer <key>".')
  const [, key] = /^Bearer +(\S+) *$/i.exec(authorization) ?? []
  if (!key || !parseApiKey(key)) throw new ApiError('invalid_api_key', 'This is not a Storedex API key.')
  return hashApiKey(key)
}

/** Mistakes that an address may make within a window before its connections are slowed down. */
const free = 100
const windowMs = 60_000
const maxAddresses = 10_000
const restMs = 500

/**
 * Counts refused keys by address, to slow down whoever tries keys. Nobody is refused for it: a real key works from the
 * same address, which may be that of a whole office or of a proxy. IPv6 addresses count by their network of 64 bits.
 */
export class FailedKeyCounter {
  #counts = new Map<string, number>()
  #windowStart = 0

  /** How many addresses and networks are counted. */
  get size(): number {
    return this.#counts.size
  }

  /** Counts a refused key. How long the connection is to rest before its next request is read; 0 for not at all. */
  recordFailure(address: string, nowMs = performance.now()): number {
    if (nowMs - this.#windowStart >= windowMs || this.#counts.size >= maxAddresses) {
      this.#counts = new Map()
      this.#windowStart = nowMs
    }
    const network = networkOf(address)
    const failures = (this.#counts.get(network) ?? 0) + 1
    this.#counts.set(network, failures)
    return failures > free ? restMs : 0
  }
}

function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const groups = head.split(':').filter(Boolean)
  if (tail !== undefined) {
    const last = tail.split(':').filter(Boolean)
    while (groups.length + last.length < 8) groups.push('0')
    groups.push(...last)
  }
  // An IPv4 address in IPv6 form keeps all of it.
  return address.includes('.') ? address : groups.slice(0, 4).join(':')
}

const hourMs = 3_600_000
// A statement of a size that never comes near its timeout.
const keysPerStatement = 1_000

/**
 * Gathers which keys were used in which hour, for `api_keys.last_used_at`: admission never writes it. A key is written at most
 * once an hour by this process; what a failed write held is kept for the next one.
 */
export class KeyUsageRecorder {
  readonly #unwritten = new Map<number, number>()
  /** The hour that was written last, for keys of this hour. */
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
        // It may have been used in the next hour meanwhile.
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
