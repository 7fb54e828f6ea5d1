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
