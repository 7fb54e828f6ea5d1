import { afterAll, vi } from 'vitest'
import { runWorksAtEnd } from './cleanup.ts'
import { checkRecordedStatements, recordStatements } from './statement-lint.ts'

recordStatements()

// Runs for each test file, while modules are loaded once for all files of a worker: nothing may be left for the next file.
afterAll(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  try {
    await checkRecordedStatements()
  } finally {
    await runWorksAtEnd()
  }
})
