import { createHmac } from 'node:crypto'
import { presentEvent } from '../presenters/events.ts'
import type { RequestContext } from '../state/database.ts'
import type { FaultInjector } from '../state/faults.ts'
import type { WebhookDelivery } from '../state/records.ts'

interface DeliveryDependencies {
  readonly faults: FaultInjector
  /** The stand-in's clock, for due times. */
  nowMs(): number
  /** Wall clock, for signatures: receivers reject old timestamps. */
  wallMs(): number
  read<T>(operation: (ctx: RequestContext) => T): T
  /** Resolves when the current state is saved: an event must not report what a crash could undo. */
  whenSaved(): Promise<void>
  /** Records the outcome of a delivery; it need not be saved before the next one is sent. */
  recordOutcome(operation: (ctx: RequestContext) => void): void
}

const responseTimeoutMs = 10_000
const maxBackoffMs = 3_600_000
const maxAgeMs = 3 * 86_400_000
/** Delay that lets later events overtake one. */
const reorderDelayMs = 1_500

/**
 * Sends events to endpoints until they reply with 2xx, with backoff from one second to an hour, for three days of the
 * stand-in's clock. Deliveries to one endpoint are sequential, endpoints are independent.
 */
export class WebhookDispatcher {
  private readonly deps: DeliveryDependencies
  private currentRound: Promise<void> | undefined
  private stopped = new AbortController()

  constructor(deps: DeliveryDependencies) {
    this.deps = deps
  }

  /**
   * Sends due events until none are left; resolves when all were attempted. `everything` ignores backoff and delays.
   */
  async dispatch(everything = false): Promise<void> {
    // A flush must not count a round that started before it.
    while (everything && this.currentRound) await this.currentRound
    do {
      this.currentRound ??= this.sendAll(everything).finally(() => {
        this.currentRound = undefined
      })
      await this.currentRound
      // Also send what became due while the round ended.
    } while (!this.stopped.signal.aborted && this.due(false).length > 0)
  }

  /** Aborts current deliveries; they stay undelivered and are sent after the next start. */
  async stop(): Promise<void> {
    this.stopped.abort()
    await this.currentRound
  }

  private async sendAll(everything: boolean): Promise<void> {
    const { faults } = this.deps
    const tried = new Set<string>()
    for (;;) {
      const due = this.due(everything).filter((delivery) => !everything || !tried.has(delivery.id))
      if (due.length === 0 || this.stopped.signal.aborted) return
      for (const delivery of due) tried.add(delivery.id)
      await this.deps.whenSaved()
      const shuffled = faults.current.reorder_events ? faults.shuffle(due) : due
      const endpoints = new Set(due.map((delivery) => delivery.endpoint))
      await Promise.all(
        [...endpoints].map((endpoint) =>
          this.sendSequentially(
            shuffled.filter((delivery) => delivery.endpoint === endpoint),
            everything,
          ),
        ),
      )
    }
  }

  private due(everything: boolean): WebhookDelivery[] {
    const { faults } = this.deps
    const nowMs = this.deps.nowMs()
    return this.deps
      .read(({ db }) => db.all('deliveries'))
      .filter(({ attempts, next_attempt_at_ms }) => {
        const lateMs = attempts === 0 ? faults.current.late_ms : 0
        const waitMs = next_attempt_at_ms - nowMs
        // No backoff is that long: the delivery was saved while the clock was ahead.
        return everything || waitMs + lateMs <= 0 || waitMs > maxBackoffMs + reorderDelayMs + faults.current.late_ms
      })
  }

  private async sendSequentially(deliveries: WebhookDelivery[], everything: boolean): Promise<void> {
    for (const delivery of deliveries) {
      if (this.stopped.signal.aborted) return
      await this.deliver(delivery, everything)
    }
  }

  private async deliver(delivery: WebhookDelivery, everything: boolean): Promise<void> {
    const { faults } = this.deps
    const overtaken = faults.current.reorder_events && !everything && delivery.attempts === 0 && faults.happens(0.5)
    if (overtaken) {
      const pauseMs = reorderDelayMs + faults.current.late_ms
      return this.reschedule(delivery, pauseMs, delivery.attempts + 1)
    }
    if (faults.happens(faults.current.drop_events)) return this.removeDelivery(delivery)
    const accepted = await this.send(delivery)
    if (accepted && faults.happens(faults.current.duplicate_events)) await this.send(delivery)
    if (this.stopped.signal.aborted && !accepted) return
    const tooOld = this.deps.nowMs() - delivery.created * 1000 > maxAgeMs
    if (accepted || tooOld) return this.removeDelivery(delivery)
    this.reschedule(delivery, Math.min(1000 * 2 ** delivery.attempts, maxBackoffMs), delivery.attempts + 1)
  }

  private reschedule(delivery: WebhookDelivery, pauseMs: number, attempts: number): void {
    const nextAttemptAtMs = this.deps.nowMs() + pauseMs
    this.deps.recordOutcome(({ db }) => {
      // If the endpoint was deleted meanwhile, so were its deliveries.
      if (db.get('deliveries', delivery.id))
        db.update('deliveries', delivery, { attempts, next_attempt_at_ms: nextAttemptAtMs })
    })
  }

  private removeDelivery(delivery: WebhookDelivery): void {
    this.deps.recordOutcome(({ db }) => db.remove('deliveries', delivery.id))
  }

  private async send(delivery: WebhookDelivery): Promise<boolean> {
    const outgoing = this.deps.read((ctx) => {
      const event = ctx.db.get('events', delivery.event)
      const endpoint = ctx.db.get('webhook_endpoints', delivery.endpoint)
      return event && endpoint && { body: JSON.stringify(presentEvent(ctx, event), null, 2), endpoint }
    })
    if (!outgoing) return true
    const { body, endpoint } = outgoing
    try {
      const response = await fetch(endpoint.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'stripe-signature': signatureHeader(body, endpoint.secret, Math.floor(this.deps.wallMs() / 1000)),
          'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
        },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([this.stopped.signal, AbortSignal.timeout(responseTimeoutMs)]),
      })
      await response.body?.cancel()
      return response.ok
    } catch {
      return false // unreachable, refused, aborted or timed out: retried later
    }
  }
}

/** The `Stripe-Signature` header for a body sent at `sentAtSeconds`. */
function signatureHeader(body: string, secret: string, sentAtSeconds: number): string {
  const signature = createHmac('sha256', secret).update(`${sentAtSeconds}.${body}`).digest('hex')
  return `t=${sentAtSeconds},v1=${signature}`
}
