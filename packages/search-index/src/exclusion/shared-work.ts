import type { Steps } from '@storedex/work'

/** Work that several searches wait for: each of them does the next slice, so that none waits for another. */
export class SharedWork<Result> {
  readonly #work: Steps<Result>
  #outcome: { result: Result } | { error: unknown } | null = null

  constructor(work: Steps<Result>) {
    this.#work = work
  }

  /** Does the next slice; returns the result once there is one. */
  advance(): { result: Result } | null {
    if (!this.#outcome) {
      try {
        const step = this.#work.next()
        if (step.done) this.#outcome = { result: step.value }
      } catch (error) {
        this.#outcome = { error }
      }
    }
    if (this.#outcome && 'error' in this.#outcome) throw this.#outcome.error
    return this.#outcome
  }
}

/** Does the work that `going` has under this count, or starts it. */
export function* joinWork<Result>(
  going: Map<number, SharedWork<Result>>,
  count: number,
  start: () => Steps<Result>,
): Steps<Result> {
  const work = going.get(count) ?? new SharedWork(start())
  going.set(count, work)
  try {
    for (;;) {
      const outcome = work.advance()
      if (outcome) return outcome.result
      yield
    }
  } finally {
    if (going.get(count) === work) going.delete(count)
  }
}
