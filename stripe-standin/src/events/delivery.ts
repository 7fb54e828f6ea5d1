import { createHmac } from 'node:crypto'
import type { FaultBox } from '../control/faults.ts'
import { presentEvent } from '../presenters/events.ts'
import type { Desk } from '../state/database.ts'
import type { Delivery } from '../state/records.ts'

/** What the sender of events needs from the stand-in. */
export interface DeliveryDesk {
  readonly faults: FaultBox
  /** The stand-in's clock, which decides what is due. */
  nowMs(): number
  /** The receiver's clock, which signatures are dated with: a receiver refuses old ones. */
  wallMs(): number
  look<T>(verb: (desk: Desk) => T): T
  /** Resolves when everything that can be looked at is on disk: nobody is told what a crash could still undo. */
  onDisk(): Promise<void>
  /** Notes what became of a delivery; it need not be on disk before the next one goes out. */
  note(verb: (desk: Desk) => void): void
}

const answerWithinMs = 10_000
const longestPauseMs = 3_600_000
const giveUpAfterMs = 3 * 86_400_000
/** How far one event falls behind when events are to overtake each other. */
const overtakenByMs = 1_500

/**
 * Sends events to endpoints until each was taken with a 2xx, with pauses that double from one second to an hour, for
 * three days of the stand-in's clock. One endpoint gets its events one after another, endpoints do not wait for each other.
 */
export class Deliverer {
  private readonly desk: DeliveryDesk
  private round: Promise<void> | undefined
  private stopped = new AbortController()

  constructor(desk: DeliveryDesk) {
    this.desk = desk
  }

  /** Sends what is due now, until nothing is; resolves when all of it was tried. `everything` ignores pauses and lateness. */
  async run(everything = false): Promise<void> {
    // A flush must not be content with a round that began before it.
    while (everything && this.round) await this.round
    do {
      this.round ??= this.sendAll(everything).finally(() => {
        this.round = undefined
      })
      await this.round
      // What became due as the round was ending is not left behind.
    } while (!this.stopped.signal.aborted && this.due(false).length > 0)
  }

  /** Lets go of what is being sent; it stays undelivered and goes out after the next start. */
  async stop(): Promise<void> {
    this.stopped.abort()
    await this.round
  }

  private async sendAll(everything: boolean): Promise<void> {
    const { faults } = this.desk
    const tried = new Set<string>()
    for (;;) {
      const due = this.due(everything).filter((delivery) => !everything || !tried.has(delivery.id))
      if (due.length === 0 || this.stopped.signal.aborted) return
      for (const delivery of due) tried.add(delivery.id)
      await this.desk.onDisk()
      const shuffled = faults.current.reorder_events ? faults.shuffle(due) : due
      const endpoints = new Set(due.map((delivery) => delivery.endpoint))
      await Promise.all(
        [...endpoints].map((endpoint) =>
          this.sendInTurn(
            shuffled.filter((delivery) => delivery.endpoint === endpoint),
            everything,
          ),
        ),
      )
    }
  }

  private due(everything: boolean): Delivery[] {
    const { faults } = this.desk
    const nowMs = this.desk.nowMs()
    return this.desk
      .look(({ book }) => book.all('deliveries'))
      .filter(({ attempts, next_attempt_at_ms }) => {
        const lateMs = attempts === 0 ? faults.current.late_ms : 0
        const waitMs = next_attempt_at_ms - nowMs
        // No pause is so long: the delivery was noted while the clock ran ahead.
        return everything || waitMs + lateMs <= 0 || waitMs > longestPauseMs + overtakenByMs + faults.current.late_ms
      })
  }

  private async sendInTurn(deliveries: Delivery[], everything: boolean): Promise<void> {
    for (const delivery of deliveries) {
      if (this.stopped.signal.aborted) return
      await this.handle(delivery, everything)
    }
  }

  private async handle(delivery: Delivery, everything: boolean): Promise<void> {
    const { faults } = this.desk
    const overtaken = faults.current.reorder_events && !everything && delivery.attempts === 0 && faults.happens(0.5)
    if (overtaken) {
      const pauseMs = overtakenByMs + faults.current.late_ms
      return this.postpone(delivery, pauseMs, delivery.attempts + 1)
    }
    if (faults.happens(faults.current.drop_events)) return this.finish(delivery)
    const taken = await this.send(delivery)
    if (taken && faults.happens(faults.current.duplicate_events)) await this.send(delivery)
    if (this.stopped.signal.aborted && !taken) return
    const tooOld = this.desk.nowMs() - delivery.created * 1000 > giveUpAfterMs
    if (taken || tooOld) return this.finish(delivery)
    this.postpone(delivery, Math.min(1000 * 2 ** delivery.attempts, longestPauseMs), delivery.attempts + 1)
  }

  private postpone(delivery: Delivery, pauseMs: number, attempts: number): void {
    const nextAttemptAtMs = this.desk.nowMs() + pauseMs
    this.desk.note(({ book }) => {
      // An endpoint that was deleted meanwhile has taken its deliveries along.
      if (book.get('deliveries', delivery.id))
        book.amend('deliveries', delivery, { attempts, next_attempt_at_ms: nextAttemptAtMs })
    })
  }

  private finish(delivery: Delivery): void {
    this.desk.note(({ book }) => book.remove('deliveries', delivery.id))
  }

  private async send(delivery: Delivery): Promise<boolean> {
    const outgoing = this.desk.look((desk) => {
      const event = desk.book.get('events', delivery.event)
      const endpoint = desk.book.get('webhook_endpoints', delivery.endpoint)
      return event && endpoint && { body: JSON.stringify(presentEvent(desk, event), null, 2), endpoint }
    })
    if (!outgoing) return true
    const { body, endpoint } = outgoing
    try {
      const answer = await fetch(endpoint.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'stripe-signature': signatureHeader(body, endpoint.secret, Math.floor(this.desk.wallMs() / 1000)),
          'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
        },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([this.stopped.signal, AbortSignal.timeout(answerWithinMs)]),
      })
      await answer.body?.cancel()
      return answer.ok
    } catch {
      return false // away, refused, broken off or too slow: tried again later
    }
  }
}

/** The `Stripe-Signature` header of a body that is sent at `sentAtSeconds`. */
export function signatureHeader(body: string, secret: string, sentAtSeconds: number): string {
  const signature = createHmac('sha256', secret).update(`${sentAtSeconds}.${body}`).digest('hex')
  return `t=${sentAtSeconds},v1=${signature}`
}
