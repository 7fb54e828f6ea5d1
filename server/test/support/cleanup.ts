import { afterAll } from 'vitest'

const works: (() => unknown)[] = []

// Vitest accepts hooks only while a file is loaded: one registered by another hook or by a test never runs.
afterAll(async () => {
  for (const work of works.reverse()) await work()
})

/** Runs `work` after the file's tests, in reverse order of registration; may be called at any time. */
export function atEnd(work: () => unknown): void {
  works.push(work)
}
