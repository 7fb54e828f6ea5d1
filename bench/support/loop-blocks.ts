import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Service } from '../../server/test/support/programs/program.ts'

/** How long a service's event loop was blocked. */
export interface LoopBlocks {
  /** The longest block. */
  longestMs: number
  /** The longest block by the processor time that its thread used: other work on the machine does not count. */
  longestOwnMs: number
  /** Blocks of more than five milliseconds, counted likewise. */
  ownOver5Ms: number
  /** The longest pause in which garbage was collected, by the clock; absent in results of before. */
  longestGcMs?: number
}

export interface LoopMonitor {
  /** Environment variables for the service to measure. */
  environment: Record<string, string>
  /** The blocks since the last call. */
  take(service: Service): Promise<LoopBlocks>
}

const program = resolve(import.meta.dirname, 'loop-monitor.mjs')
const timeoutMs = 30_000

/** Needs Linux, whose scheduler tells how long a thread waited for a processor. */
export function openLoopMonitor(folder: string): LoopMonitor {
  const file = join(folder, 'loop-blocks.json')
  return {
    environment: { NODE_OPTIONS: `--import=${program}`, BENCH_LOOP_FILE: file },
    async take({ pid }) {
      rmSync(file, { force: true })
      process.kill(pid, 'SIGUSR2')
      for (const deadline = performance.now() + timeoutMs; !existsSync(file); await delay(20))
        if (performance.now() > deadline) throw new Error('the service did not write the blocks of its event loop')
      return JSON.parse(readFileSync(file, 'utf8')) as LoopBlocks
    },
  }
}
