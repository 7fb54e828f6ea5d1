/**
 * Work that can pause and continue. Its input does not change meanwhile, so pauses never change the result.
 */
export interface SlicedWork<Result> {
  /** Works until it is done or the pace says to pause; returns the result, or undefined for a pause. */
  advance(pace: Pace): Result | undefined
}

/** The same as a generator, which yields to pause: for work that takes long in any case. */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** After so much work, the clock is read. */
const unitsPerLook = 32_768

/**
 * Says when work should pause. Work is counted in units of about one word's AND; reading the clock for each would cost more
 * than the work. Several works may share a pace when one continues after the other.
 */
export class Pace {
  readonly #unitsPerLook: number
  readonly #isOver: () => boolean
  #left: number

  constructor(isOver: () => boolean, units = unitsPerLook) {
    this.#unitsPerLook = units
    this.#isOver = isOver
    this.#left = units
  }

  /** Begins a slice. */
  begin(): void {
    this.#left = this.#unitsPerLook
  }

  /** Counts work that was done; returns whether to pause. */
  spend(units: number): boolean {
    this.#left -= units
    return this.#left <= 0 && this.#look()
  }

  #look(): boolean {
    this.#left = this.#unitsPerLook
    return this.#isOver()
  }
}

/** Never pauses. */
export const unhurried = new Pace(() => false)

/** Does work without a pause. */
export function finish<Result>(work: SlicedWork<Result>): Result {
  for (;;) {
    const result = work.advance(unhurried)
    if (result !== undefined) return result
  }
}

export function finishSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Work in steps; they get the pace of the first slice. */
export function workInSteps<Result>(start: (pace: Pace) => Steps<Result>): SlicedWork<Result> {
  let steps: Steps<Result> | null = null
  return {
    advance(pace) {
      steps ??= start(pace)
      const step = steps.next()
      return step.done ? step.value : undefined
    },
  }
}

/** A step of other work. */
export function* workOf<Result>(work: SlicedWork<Result>, pace: Pace): Steps<Result> {
  for (;;) {
    const result = work.advance(pace)
    if (result !== undefined) return result
    yield
  }
}
