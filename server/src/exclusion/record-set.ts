import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { IdList, type IdSet } from '@storedex/search-index'
import { clockToleranceMs } from '../kernel/time.ts'
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
  /** What the meter said when the records were read; none was read yet at -1. */
  #counted = -1
  #turn: Promise<unknown> = Promise.resolve()
  /** Numbers of requests, of which one that begins to read serves all that came before. */
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
    this.#replace(await parseRecords(records), records.counted)
  }

  /** Returns false if these cannot be all that is new. */
  async #add(records: Records, since: number): Promise<boolean> {
    const expected = records.counted - this.#counted
    if (expected === 0) return true
    const from = lowerBound(this.#times, since)
    const { ids, count } = this.before().ids
    const known = new Set(ids.slice(from, count))
    const parsed = await parseRecords(records)
    const isNew = parsed.ids.map((id) => !known.has(id))
    const fresh = { ids: parsed.ids.filter((_, at) => isNew[at]), times: parsed.times.filter((_, at) => isNew[at]) }
    if (fresh.ids.length !== expected) return false
    if (fresh.times[0]! >= this.newestTime) this.#append(fresh)
    else this.#replace(mergeByTime({ ids: [...ids.slice(0, count)], times: this.#times }, fresh), records.counted)
    this.#counted = records.counted
    return true
  }

  #append({ ids, times }: ParsedRecords): void {
    this.#ids.append(ids)
    if (this.#storeOf) this.#stores.append(ids.map(this.#storeOf))
    for (const time of times) this.#times.push(time)
  }

  /** Searches that run keep the old lists. */
  #replace(records: ParsedRecords, counted: number): void {
    this.#ids = new IdList()
    this.#stores = this.#storeOf ? new IdList() : this.#ids
    this.#times = []
    this.#append(records)
    this.#counted = counted
  }
}

interface ParsedRecords {
  ids: number[]
  times: number[]
}

const parsedAtOnce = 20_000

async function parseRecords({ groups }: Records): Promise<ParsedRecords> {
  const parsed: ParsedRecords = { ids: [], times: [] }
  let pause = parsedAtOnce
  for (const { at, ids } of groups) {
    const time = at.getTime()
    for (const id of ids.split(',')) {
      parsed.ids.push(Number(id))
      parsed.times.push(time)
    }
    if (parsed.ids.length < pause) continue
    pause = parsed.ids.length + parsedAtOnce
    await yieldToEventLoop()
  }
  return parsed
}

function mergeByTime(a: ParsedRecords, b: ParsedRecords): ParsedRecords {
  const merged: ParsedRecords = { ids: [], times: [] }
  let [i, j] = [0, 0]
  while (i < a.ids.length || j < b.ids.length) {
    const takesA = j === b.ids.length || (i < a.ids.length && a.times[i]! <= b.times[j]!)
    merged.ids.push(takesA ? a.ids[i]! : b.ids[j]!)
    merged.times.push(takesA ? a.times[i++]! : b.times[j++]!)
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
