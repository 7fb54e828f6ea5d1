import { Pace, type SlicedWork, type Steps, workInSteps } from './pace.ts'

export interface SliceLimits {
  /** How long all sliced work may take in one turn of the event loop. */
  turnMs: number
  /** How long work that waits may take before other work continues. */
  sliceMs: number
  /** How much work is done before the clock is read, in the units of a pace. */
  unitsPerLook?: number
}

/** Milliseconds; together with what a request does besides, a turn stays below five. */
const defaultLimits: SliceLimits = { turnMs: 2, sliceMs: 0.5 }

interface Job {
  work: SlicedWork<unknown>
  resolve(result: unknown): void
  reject(error: unknown): void
}

/**
 * Does long work in slices, so that other requests are served in between. Most work ends within its first slice and never
 * waits. The rest queues: after each turn of the event loop, the first of the queue continue, each for a slice.
 */
export class SliceScheduler {
  readonly #limits: SliceLimits
  readonly #pace: Pace
  readonly #queue: Job[] = []
  /** When sliced work has to stop in this turn of the loop; null if none has read the clock. */
  #turnEnd: number | null = null
  #sliceEnd = Number.POSITIVE_INFINITY
  #isScheduled = false

  constructor(limits: SliceLimits = defaultLimits) {
    this.#limits = limits
    this.#pace = new Pace(() => this.#isOver(), limits.unitsPerLook)
  }

  /** How many works wait for their next slice. */
  get waiting(): number {
    return this.#queue.length
  }

  /** Starts work at once; returns its result, or a promise if the first slice was not enough. */
  run<Result>(work: SlicedWork<Result>): Result | Promise<Result> {
    this.#pace.begin()
    this.#sliceEnd = Number.POSITIVE_INFINITY
    const result = work.advance(this.#pace)
    if (result !== undefined) return result
    return new Promise<Result>((resolve, reject) => {
      this.#queue.push({ work, resolve: resolve as Job['resolve'], reject })
      this.#schedule()
    })
  }

  runSteps<Result>(start: (pace: Pace) => Steps<Result>): Result | Promise<Result> {
    return this.run(workInSteps(start))
  }

  #isOver(): boolean {
    const now = performance.now()
    if (this.#turnEnd === null) {
      this.#turnEnd = now + this.#limits.turnMs
      this.#schedule()
    }
    return now >= this.#turnEnd || now >= this.#sliceEnd
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#continue())
  }

  /** Runs after the requests of this turn. They may have used the whole turn, but the queue goes on in any case. */
  #continue(): void {
    this.#isScheduled = false
    const { turnMs, sliceMs } = this.#limits
    const now = performance.now()
    const end = Math.max(this.#turnEnd ?? now + turnMs, now + sliceMs)
    this.#turnEnd = end
    for (let time = now; this.#queue.length > 0; time = performance.now()) {
      if (time > now && time >= end) break
      this.#sliceEnd = time + sliceMs
      this.#runSlice(this.#queue.shift()!)
    }
    this.#turnEnd = null
    if (this.#queue.length > 0) this.#schedule()
  }

  #runSlice(job: Job): void {
    this.#pace.begin()
    try {
      const result = job.work.advance(this.#pace)
      if (result === undefined) this.#queue.push(job)
      else job.resolve(result)
    } catch (error) {
      job.reject(error)
    }
  }
}

/** There is one event loop, so its time is divided in one place. */
export const slices = new SliceScheduler()

const sortedAtOnce = 512
/** Of one comparison, in the units of a pace. */
const unitsPerComparison = 32

/** A sorted copy. */
export function* sortInSteps<Item>(
  items: readonly Item[],
  compare: (one: Item, other: Item) => number,
  pace: Pace,
): Steps<Item[]> {
  let runs: Item[][] = []
  for (let start = 0; start < items.length; start += sortedAtOnce) {
    runs.push(items.slice(start, start + sortedAtOnce).sort(compare))
    if (pace.spend(sortedAtOnce * 9 * unitsPerComparison)) yield
  }
  while (runs.length > 1) {
    const longer: Item[][] = []
    for (let index = 0; index < runs.length; index += 2) {
      const [one, other] = [runs[index]!, runs[index + 1] ?? []]
      const merged: Item[] = []
      for (let i = 0, j = 0; i < one.length || j < other.length; ) {
        const takesOne = j === other.length || (i < one.length && compare(one[i]!, other[j]!) <= 0)
        merged.push(takesOne ? one[i++]! : other[j++]!)
        if (pace.spend(unitsPerComparison)) yield
      }
      longer.push(merged)
    }
    runs = longer
  }
  return runs[0] ?? []
}
