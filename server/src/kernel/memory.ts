import { totalmem } from 'node:os'

/** The memory this process may use, in bytes: the machine's, or less where a container limits it. */
export function availableMemory(): number {
  // 0 or more than there is where nothing is set.
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}
