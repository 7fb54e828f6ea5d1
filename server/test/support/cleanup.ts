import { rm } from 'node:fs/promises'

const works: (() => unknown)[] = []

/** Runs `work` after the file's tests, in reverse order of registration; may be called at any time. */
export function atEnd(work: () => unknown): void {
  works.push(work)
}

/** Runs all registered works, and fails with the first that failed. */
export async function runWorksAtEnd(): Promise<void> {
  const failures: unknown[] = []
  for (let work = works.pop(); work; work = works.pop()) {
    try {
      await work()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

/** Removes a folder, also one in which a process that is ending still writes: tries again as a whole. */
export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 10 })
}
