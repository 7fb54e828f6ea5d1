import { AggregatorRegistry, type Registry } from 'prom-client'
import type { ProcessMetrics } from './protocol.ts'

/** Adds up the figures of processes as each figure says: sum, largest, smallest. */
function aggregate(all: readonly ProcessMetrics[]): Registry {
  return AggregatorRegistry.aggregate([...all])
}

/**
 * The counters of workers that have ended. Without them the sums would fall with every worker that is replaced, which reads
 * as if everything had been counted again.
 */
export class EndedWorkers {
  #counters: ProcessMetrics = []

  async add(figures: ProcessMetrics): Promise<void> {
    const counters = figures.filter(({ type }) => isCounter(type))
    if (counters.length === 0) return
    this.#counters = await aggregate([this.#counters, counters]).getMetricsAsJSON()
  }

  /** The figures of the running processes together with what ended ones had counted, as `/metrics` shows them. */
  format(running: readonly ProcessMetrics[]): Promise<string> {
    return aggregate([this.#counters, ...running]).metrics()
  }
}

/** In JSON the type is a word, whatever the declared enumeration says. */
function isCounter(type: unknown): boolean {
  return type === 'counter' || type === 'histogram'
}
