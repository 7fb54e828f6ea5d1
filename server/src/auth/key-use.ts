import type { Queryable } from '../db/pool.ts'
import { clockToleranceMs } from '../kernel/clock.ts'
import { updateLastUse } from './key-queries.ts'

const hourMs = 3_600_000
// A statement of a size that never comes near its timeout.
const keysPerStatement = 1_000

/**
 * Gathers which keys were used in which hour, for `api_keys.last_used_at`: admission never writes it. A key is written at most
 * once an hour by this process; what a failed write held is kept for the next one.
 */
export class KeyUse {
  readonly #unwritten = new Map<number, number>()
  /** The hour that was written last, for keys of this hour. */
  readonly #written = new Map<number, number>()

  note(keyId: number, now: Date): void {
    const hour = now.getTime() - (now.getTime() % hourMs)
    if (this.#written.get(keyId) !== hour) this.#unwritten.set(keyId, hour)
  }

  async flush(db: Queryable, now: Date): Promise<void> {
    const used = [...this.#unwritten].map(([id, hour]) => ({ id, hour: new Date(hour) }))
    for (let from = 0; from < used.length; from += keysPerStatement) {
      const slice = used.slice(from, from + keysPerStatement)
      await updateLastUse(db, slice, new Date(now.getTime() + clockToleranceMs))
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
