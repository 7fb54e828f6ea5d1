import type { FastifyRequest } from 'fastify'

const maxRemembered = 10_000
/** Enough of a header with a key to tell keys apart, and too little to use one. */
const shownLength = 28
const strangers = 'strangers'

/**
 * For whom requests work, told before their keys are looked up, so that an account's requests share its places whatever keys
 * they carry. Remembered from earlier admissions; decides about nothing else. Keys that were never admitted share the places
 * of one: keys can be made up by the thousand.
 */
export class KeyHolders {
  readonly #accounts = new Map<string, string>()

  /** Null for a request that is not behind a key. */
  holderOf({ headers, routeOptions }: FastifyRequest): string | null {
    if (!routeOptions.config.access) return null
    return this.#accounts.get(headers.authorization?.slice(0, shownLength) ?? '') ?? strangers
  }

  remember(authorization: string | undefined, accountId: number): void {
    const shown = authorization?.slice(0, shownLength) ?? ''
    if (this.#accounts.has(shown)) return
    if (this.#accounts.size >= maxRemembered) this.#accounts.clear()
    this.#accounts.set(shown, `account ${accountId}`)
  }
}
