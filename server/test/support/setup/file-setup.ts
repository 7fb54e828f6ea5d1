import { afterAll, vi } from 'vitest'
import { runWorksAtEnd } from '../cleanup.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** Processor time of the worker during the file, in ms; the table of test times says the rest was spent waiting. */
    cpuMs?: number
  }
}

const cpuAtStart = process.cpuUsage()

// Runs for each test file, while modules are loaded once for all files of a worker: nothing may be left for the next file.
// biome-ignore lint/correctness/noEmptyPattern: the runner reads from the pattern that no fixture is wanted
afterAll(async ({}, file) => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  await runWorksAtEnd()
  const { user, system } = process.cpuUsage(cpuAtStart)
  file.meta.cpuMs = Math.round((user + system) / 1_000)
})
