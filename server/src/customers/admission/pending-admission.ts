import type { CachedKeyVersions, CountedWindows, KeyCaller, RequestAdmission } from '../auth/caller.ts'
import { requestWindowsAt } from '../auth/rate-limits.ts'
import type { FoundCaller } from './admit.ts'
import type { CachedKey } from './key-cache.ts'

interface AdmissionOptions {
  now: Date
  caller: KeyCaller
  known: CachedKey
  /** Reads the caller again, and caches the key. */
  read(): Promise<FoundCaller & { known: CachedKey }>
  /** Called once the request was counted. */
  onCounted(caller: KeyCaller): void
}

/** The admission of a request with a key: `pending` until its charge counted it, refused it, or failed. */
export class Admission implements RequestAdmission {
  readonly requestedAt: Date
  readonly #caller: KeyCaller
  readonly #options: AdmissionOptions
  #known: CachedKey
  #state: 'pending' | 'counted' | 'ended' = 'pending'

  constructor(options: AdmissionOptions) {
    this.#options = options
    this.requestedAt = options.now
    this.#caller = options.caller
    this.#known = options.known
  }

  get known(): CachedKeyVersions {
    return this.#known
  }

  get isPending(): boolean {
    return this.#state === 'pending'
  }

  get isCounted(): boolean {
    return this.#state === 'counted'
  }

  async refresh(): Promise<void> {
    try {
      const { caller, error, known } = await this.#options.read()
      // The handler may hold the caller that was assumed.
      Object.assign(this.#caller, caller)
      this.#known = known
      if (error) throw error
    } catch (error) {
      this.#state = 'ended'
      throw error
    }
  }

  end(windows: CountedWindows, isCounted: boolean): void {
    this.#state = isCounted ? 'counted' : 'ended'
    const { entitlement, rate } = this.#caller
    const { billing_links } = rate
    this.#caller.rate = {
      ...requestWindowsAt(windows, entitlement.limits, this.requestedAt),
      ...(billing_links && { billing_links }),
    }
    if (isCounted) this.#options.onCounted(this.#caller)
  }

  abandon(): void {
    this.#state = 'ended'
  }
}
