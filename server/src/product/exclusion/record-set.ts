import { IdList, type IdSet } from '@storedex/search-index'
import { type Pace, type Steps, slices } from '@storedex/work'
import { clockToleranceMs } from '../../foundation/kernel/time.ts'
import { mapIds, parseIds, unitsPerId } from './parse-ids.ts'
import type { Records } from './queries.ts'

/** Reads the records from `since` on, unless the meter still says `knownCount`. */
export type ReadRecords = (since: Date | null, knownCount: number) => Promise<Records>

interface RecordForm {
  /** The store of an id; null if ids are of stores. */
  storeOf: ((id: number) => number) | null
}

/**
 * What an account has exported in a period, or revealed, in the order of time: records that are only ever added. The database
 * counts them in the transaction that adds them, so the meter tells whether anything is new, and how many. Reading what has
 * the newest known time or a later one finds it, as a rule. A transaction that began earlier may commit later: if records are
 * missing, more is read, and at last everything.
 */
export class RecordSet {
  readonly #storeOf: RecordForm['storeOf']
  #ids = new IdList()
  #stores: IdList
  /** Of each id, ascending: milliseconds since 1970. */
  #times: number[] = []
  /** The meter when the records were read; -1 before the first read. */
  #counted = -1
  #turn: Promise<unknown> = Promise.resolve()
  /** Numbers of requests. A read serves all requests that came before it. */
  #requests = 0
  #servedUpTo = 0

  constructor({ storeOf }: RecordForm) {
    this.#storeOf = storeOf
    this.#stores = storeOf ? new IdList() : this.#ids
  }

  get bytes(): number {
    const stores = this.#storeOf ? this.#stores.bytes : 0
    return this.#ids.bytes + stores + this.#times.length * 8
  }

  /** The time of the newest record, in milliseconds; -Infinity without one. */
  get newestTime(): number {
    return this.#times.at(-1) ?? Number.NEGATIVE_INFINITY
  }

  /** The records before a time, or all, as ids and as stores. */
  before(time: number = Number.POSITIVE_INFINITY): { ids: IdSet; stores: IdSet } {
    const count = lowerBound(this.#times, time)
    return { ids: { ids: this.#ids, count }, stores: { ids: this.#stores, count } }
  }

  /** Resolves when everything is known that was committed before the call. Reads of one set take turns. */
  bringUpToDate(read: ReadRecords): Promise<void> {
    const request = ++this.#requests
    const turn = this.#turn.then(async () => {
      if (this.#servedUpTo >= request) return
      const serves = this.#requests
      await this.#readNew(read)
      this.#servedUpTo = Math.max(this.#servedUpTo, serves)
    })
    this.#turn = turn.catch(() => {})
    return turn
  }

  async #readNew(read: ReadRecords): Promise<void> {
    const newest = this.newestTime
    if (Number.isFinite(newest))
      for (const since of [newest, newest - clockToleranceMs])
        if (await this.#add(await read(new Date(since), this.#counted), since)) return
    const records = await read(null, -1)
    await this.#replace(await parseRecords(records), records.counted)
  }

  /** Returns false if these cannot be all that is new. */
  async #add(records: Records, since: number): Promise<boolean> {
    const expected = records.counted - this.#counted
    if (expected === 0) return true
    const from = lowerBound(this.#times, since)
    const { ids, count } = this.before().ids
    const parsed = await parseRecords(records)
    const fresh = await slices.runSteps((pace) => withoutKnown(parsed, ids.slice(from, count), pace))
    if (fresh.ids.length !== expected) return false
    if (fresh.times[0]! >= this.newestTime) await this.#append(fresh)
    else {
      const known = { ids: [...ids.slice(0, count)], times: this.#times }
      await this.#replace(await slices.runSteps((pace) => mergeByTime(known, fresh, pace)), records.counted)
    }
    this.#counted = records.counted
    return true
  }

  /** Searches see all of the records or none. */
  async #append({ ids, times }: ParsedRecords): Promise<void> {
    const stores = await this.#storesOf(ids)
    this.#ids.append(ids)
    if (stores) this.#stores.append(stores)
    for (const time of times) this.#times.push(time)
  }

  /** Searches that run keep the old lists. */
  async #replace({ ids, times }: ParsedRecords, counted: number): Promise<void> {
    const stores = await this.#storesOf(ids)
    this.#ids = new IdList(ids)
    this.#stores = stores ? new IdList(stores) : this.#ids
    this.#times = times
    this.#counted = counted
  }

  /** Null if ids are of stores. */
  async #storesOf(ids: readonly number[]): Promise<number[] | null> {
    const storeOf = this.#storeOf
    return storeOf && (await slices.runSteps((pace) => mapIds(ids, storeOf, pace)))
  }
}

interface ParsedRecords {
  ids: number[]
  times: number[]
}

async function parseRecords({ groups }: Records): Promise<ParsedRecords> {
  return await slices.runSteps(function* (pace) {
    const parsed: ParsedRecords = { ids: [], times: [] }
    for (const { at, ids } of groups) {
      const time = at.getTime()
      for (const id of yield* parseIds(ids, pace)) {
        parsed.ids.push(id)
        parsed.times.push(time)
        if (pace.spend(unitsPerId)) yield
      }
    }
    return parsed
  })
}

function* withoutKnown(records: ParsedRecords, known: Float64Array, pace: Pace): Steps<ParsedRecords> {
  const knownIds = new Set<number>()
  for (const id of known) {
    knownIds.add(id)
    if (pace.spend(unitsPerId)) yield
  }
  const fresh: ParsedRecords = { ids: [], times: [] }
  for (let at = 0; at < records.ids.length; at++) {
    if (pace.spend(unitsPerId)) yield
    if (knownIds.has(records.ids[at]!)) continue
    fresh.ids.push(records.ids[at]!)
    fresh.times.push(records.times[at]!)
  }
  return fresh
}

function* mergeByTime(a: ParsedRecords, b: ParsedRecords, pace: Pace): Steps<ParsedRecords> {
  const merged: ParsedRecords = { ids: [], times: [] }
  let i = 0
  let j = 0
  while (i < a.ids.length || j < b.ids.length) {
    const takesA = j === b.ids.length || (i < a.ids.length && a.times[i]! <= b.times[j]!)
    merged.ids.push(takesA ? a.ids[i]! : b.ids[j]!)
    merged.times.push(takesA ? a.times[i++]! : b.times[j++]!)
    if (pace.spend(unitsPerId)) yield
  }
  return merged
}

/** The first place of a number that is at least `wanted`. */
function lowerBound(numbers: readonly number[], wanted: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (numbers[middle]! < wanted) low = middle + 1
    else high = middle
  }
  return low
}
