import type { Mode } from '../../foundation/kernel/ids.ts'

/** Of each generation: small enough that a table's growth does not stop the event loop for long. */
const maxHosts = 50_000

/**
 * The stores that hosts led to. This is a hint which documents need not be fetched: only a document says what its domain
 * is. Used entries stay; those unused for two generations go.
 */
export class KnownHosts {
  #young = new Map<string, number>()
  #old = new Map<string, number>()

  get(mode: Mode, host: string): number | undefined {
    const name = `${mode} ${host}`
    const young = this.#young.get(name)
    if (young !== undefined) return young
    const old = this.#old.get(name)
    if (old !== undefined) this.#add(name, old)
    return old
  }

  set(mode: Mode, host: string, storeId: number): void {
    this.#add(`${mode} ${host}`, storeId)
  }

  #add(name: string, storeId: number): void {
    if (this.#young.size >= maxHosts) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(name, storeId)
  }
}
