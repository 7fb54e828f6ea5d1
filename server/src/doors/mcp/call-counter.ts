import type { GaugeSource } from '../../foundation/http/metrics.ts'

/** How a call of a tool ended; `asked` when a person has to be asked first. */
export type ToolOutcome = 'done' | 'asked' | 'declined' | 'refused' | 'failed'

/** Counts the calls of tools in this process. */
export class ToolCallCounter {
  readonly #counts = new Map<string, { tool: string; outcome: ToolOutcome; count: number }>()

  record(tool: string, outcome: ToolOutcome): void {
    const name = `${tool} ${outcome}`
    const known = this.#counts.get(name)
    if (known) known.count++
    else this.#counts.set(name, { tool, outcome, count: 1 })
  }

  /** For `registerCounters`. Neither label comes from a caller. */
  counters(): GaugeSource[] {
    return [
      {
        name: 'storedex_tool_calls_total',
        help: 'Calls of tools at /mcp, by tool and outcome.',
        labelNames: ['tool', 'outcome'],
        read: () => [...this.#counts.values()].map(({ count, ...labels }) => ({ labels, value: count })),
      },
    ]
  }
}
