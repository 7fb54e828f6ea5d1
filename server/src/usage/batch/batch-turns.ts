import { FairQueue, Slots } from '@storedex/work'
import type { ConnectionPool } from '../../db/pool.ts'
import type { GaugeSource } from '../../http/metrics.ts'

/**
 * The fewest batches that may be under way, of all accounts: enough to keep a small PostgreSQL busy while replies are
 * written. Fewer than that would leave it idle in between.
 */
const leastBatches = 3

interface SentBatches {
  kind: string
  sent(): { batches: number; items: number }
}

/**
 * Bounds how many batches are under way, of all accounts: so requests gather while they wait, and the database has less to do.
 * Batches of an account and mode go one after the other, of whatever kind: they would wait for each other's windows anyway,
 * with a connection in hand and an older view of the meters.
 */
export class BatchTurns {
  readonly slots: Slots
  readonly #owners = new FairQueue(Number.MAX_SAFE_INTEGER)
  readonly #kinds: SentBatches[] = []

  constructor(pool: ConnectionPool) {
    this.slots = new Slots({ least: leastBatches, most: pool.max })
  }

  /** Adds batches to the figures. */
  count(batches: SentBatches): void {
    this.#kinds.push(batches)
  }

  /** `owner` names the account and mode. */
  inOrder<T>(owner: string, send: () => Promise<T>): Promise<T> {
    return this.#owners.run({ name: owner, maxPermits: 1 }, send)
  }

  gauges(): GaugeSource[] {
    return [
      {
        name: 'storedex_shared_charge_slots',
        help: 'Statements that admit and charge requests together and may be under way at a time.',
        read: () => [{ value: this.slots.size }],
      },
    ]
  }

  /** For `registerCounters`: batches, and the requests in them. One that is sent again by itself counts again. */
  counters(): GaugeSource[] {
    const read = (figure: 'batches' | 'items') => () =>
      this.#kinds.map(({ kind, sent }) => ({ labels: { kind }, value: sent()[figure] }))
    return [
      {
        name: 'storedex_shared_charges_total',
        help: 'Statements that admit and charge requests of an account together.',
        labelNames: ['kind'],
        read: read('batches'),
      },
      {
        name: 'storedex_shared_charge_requests_total',
        help: 'Requests in these statements.',
        labelNames: ['kind'],
        read: read('items'),
      },
    ]
  }
}

const turnsOfPools = new WeakMap<object, BatchTurns>()

/** The turns of all batches that use a pool's connections. */
export function batchTurnsOf(pool: ConnectionPool): BatchTurns {
  const turns = turnsOfPools.get(pool.connections) ?? new BatchTurns(pool)
  turnsOfPools.set(pool.connections, turns)
  return turns
}
