import type { Lane } from '../db/pool.ts'
import { hashApiKey, parseApiKey } from '../kernel/api-key.ts'
import { ApiError } from '../kernel/errors.ts'
import { selectAccountsOfKeys } from './key-queries.ts'

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
export function readBearerKey(authorization: string | undefined): Buffer {
  if (!authorization)
    throw new ApiError('missing_api_key', 'Send your API key in the header "Authorization: Bearer <key>".')
  const [, key] = /^Bearer +(\S+) *$/i.exec(authorization) ?? []
  if (!key || !parseApiKey(key)) throw new ApiError('invalid_api_key', 'This is not a Storedex API key.')
  return hashApiKey(key)
}
