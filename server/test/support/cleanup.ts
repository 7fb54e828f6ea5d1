import { afterAll } from 'vitest'

const works: (() => unknown)[] = []

// Vitest takes hooks only while a file is read: one that is registered by another hook or by a test never runs.
afterAll(async () => {
  for (const work of works.reverse()) await work()
})

/** Does this after the file's tests, the last of such works first; may be called at any time. */
export function atEnd(work: () => unknown): void {
  works.push(work)
}
