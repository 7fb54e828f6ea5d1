import type { Random } from '../../../catalogue/build/random.ts'
import type { BadSearch } from './bad-search.ts'
import type { SearchMutator } from './mutate.ts'

/** Milliseconds of processor time. */
export interface SearchCost {
  totalMs: number
  longestSliceMs: number
}

export interface Measured extends SearchCost {
  search: BadSearch
}

export type Aim = keyof SearchCost

/** Null if a caller could not send the search. */
export type Measure = (search: BadSearch) => SearchCost | null

const keptSearches = 12
const attemptsBeforeRestart = 400
const repetitions = 3
/** A cost near the greatest is measured again: on a busy machine a single figure can be an accident. */
const worthRepeating = 0.7

/** Looks for searches with a great cost: changes the worst ones found, and starts again when they get no worse. */
export class Climb {
  readonly #mutator: SearchMutator
  readonly #random: Random
  readonly #measure: Measure
  /** The worst of this attempt, the worst first. */
  #kept: Measured[] = []
  #sinceBetter = 0
  readonly aim: Aim
  /** The worst of all attempts, the worst first. */
  readonly worst: Measured[] = []
  restarts = 0

  constructor(mutator: SearchMutator, random: Random, measure: Measure, aim: Aim) {
    this.#mutator = mutator
    this.#random = random
    this.#measure = measure
    this.aim = aim
  }

  step(): void {
    const isFresh = this.#kept.length < keptSearches || this.#random.chance(0.1)
    const search = isFresh
      ? this.#mutator.draw()
      : this.#mutator.mutate(this.#random.pick(this.#kept).search, this.#random.pick(this.#kept).search)
    const measured = this.#measureCarefully(search)
    if (measured) this.#keep(measured)
    if (++this.#sinceBetter > attemptsBeforeRestart) this.#restart()
  }

  #measureCarefully(search: BadSearch): Measured | null {
    const aim = this.aim
    let cost = this.#measure(search)
    if (!cost) return null
    const bound = worthRepeating * (this.#kept.at(-1)?.[aim] ?? 0)
    for (let again = 1; again < repetitions && cost[aim] > bound; again++) {
      const other = this.#measure(search)!
      cost = {
        totalMs: Math.min(cost.totalMs, other.totalMs),
        longestSliceMs: Math.min(cost.longestSliceMs, other.longestSliceMs),
      }
    }
    return { search, ...cost }
  }

  #keep(measured: Measured): void {
    if (measured[this.aim] > (this.#kept[0]?.[this.aim] ?? 0)) this.#sinceBetter = 0
    this.#kept = worstOf([...this.#kept, measured], this.aim)
    this.worst.splice(0, this.worst.length, ...worstOf([...this.worst, measured], this.aim))
  }

  #restart(): void {
    this.#kept = []
    this.#sinceBetter = 0
    this.restarts++
  }
}

function worstOf(measured: readonly Measured[], aim: Aim): Measured[] {
  return measured.toSorted((a, b) => b[aim] - a[aim]).slice(0, keptSearches)
}
