import type { FastifyRequest } from 'fastify'
import { requestWindowsAt } from './admit.ts'
import type { CountedWindows, KeyCaller, PendingAdmission, Standing } from './caller.ts'
import type { KeyStandings, KnownKey } from './standings.ts'

/** What happens to a request with a deferred admission. */
interface AdmissionSteps {
  standings: KeyStandings
  /** Admits the request by itself and completes its caller; throws the refusal. */
  admitAlone(request: FastifyRequest): Promise<void>
  /** Called once the request was counted. */
  onCounted(request: FastifyRequest, caller: KeyCaller): void
}

/** The admission of a request that may travel with its charge. */
export class DeferredAdmission implements PendingAdmission {
  readonly #request: FastifyRequest
  readonly #caller: KeyCaller
  readonly #known: KnownKey
  readonly #steps: AdmissionSteps
  #isPending = true
  #settled: Promise<void> | null = null

  constructor(request: FastifyRequest, caller: KeyCaller, known: KnownKey, steps: AdmissionSteps) {
    this.#request = request
    this.#caller = caller
    this.#known = known
    this.#steps = steps
  }

  get standing(): Standing {
    return this.#known
  }

  get requestedAt(): Date {
    return this.#request.now
  }

  get isPending(): boolean {
    return this.#isPending
  }

  settle(): Promise<void> {
    if (this.#isPending) {
      this.#isPending = false
      this.#settled = this.#steps.admitAlone(this.#request)
    }
    return this.#settled ?? Promise.resolve()
  }

  complete({ minuteStartedAt, minuteUsed, day, dayUsed }: CountedWindows): void {
    this.#isPending = false
    const { limits } = this.#caller.entitlement
    const windows = { minute_started_at: minuteStartedAt, minute_used: minuteUsed, day, day_used: dayUsed }
    this.#caller.rate = requestWindowsAt(windows, limits, this.#request.now)
    this.#steps.onCounted(this.#request, this.#caller)
  }

  refuse(): void {
    // A changed key or account is no limit: its next admission learns what it is now.
    if (!this.#known.isStale) this.#steps.standings.pause(this.#caller.accountId)
  }

  abandon(): void {
    this.#isPending = false
  }
}
