import type { Fault } from '../fields/faults.ts'
import type { ReadContext, RecordKind } from './import-kind.ts'
import type { RawRecord } from './records.ts'

/** A record as it can be imported, as far as it can. */
export interface ReadRecord<Patch> {
  /** All that is wrong with the record. */
  faults: Fault[]
  /** The record without its bad values; null if it is nothing without them. */
  patch: Patch | null
  /** The same as far as it could be read, to look for more faults; null if it could not be read at all. */
  remnant: Patch | null
}

type RecordToRead = Omit<Extract<RawRecord, { value: unknown }>, 'line' | 'bytes' | 'original'>

/** Dropping one value can show another fault; so often at most. */
const maxRounds = 5

/**
 * Checks and reads a record. Its faults were found before, of values that the record no longer has. Of a
 * list, the bad item alone is left out; an item goes with the value that it is about.
 */
export function readRecord<Patch>(
  kind: RecordKind<Patch>,
  { value, faults: found, keepsPhones = false }: RecordToRead,
  given: ReadContext,
): ReadRecord<Patch> {
  const context = keepsPhones ? { ...given, cleansPhones: false } : given
  const faults = [...found]
  const known = new Set(found.map(({ path }) => path))
  const add = (more: readonly Fault[]) => {
    // A value that was left out is not missing, too; and what a record lacks because of it is no fault of its own.
    for (const fault of more)
      if (!known.has(fault.path) && (fault.path !== '' || faults.length === 0)) faults.push(fault)
    for (const { path } of more) known.add(path)
  }
  let rest: Rest = { value, isWhole: true }
  let remnant: Patch | null = null
  for (let round = 0; round < maxRounds; round++) {
    rest = withoutMisshapen(kind, rest, add)
    if (!isObject(rest.value)) return { faults, patch: null, remnant }
    const inValues: Fault[] = []
    const patch = kind.readRecord(rest.value, context, inValues)
    add(inValues)
    remnant = patch
    if (rest.isWhole && inValues.length === 0) return { faults, patch, remnant }
    if (rest.isWhole) rest = withoutPaths(rest.value, inValues)
    if (!rest.isWhole) return { faults, patch: null, remnant }
  }
  return { faults, patch: null, remnant }
}

/** The good part of a record. It is not whole if the record itself is at fault, or lacks its key. */
interface Rest {
  value: unknown
  isWhole: boolean
}

/** Leaves out the parts of the wrong shape. Only a missing key, or a record that is no object, can remain. */
function withoutMisshapen<Patch>(kind: RecordKind<Patch>, given: Rest, add: (faults: Fault[]) => void): Rest {
  let rest = given
  for (let round = 0; round < maxRounds; round++) {
    const faults = kind.checkShape(rest.value)
    if (faults.length === 0) return rest
    add(faults)
    const next = withoutPaths(rest.value, faults)
    rest = { value: next.value, isWhole: rest.isWhole && next.isWhole }
    if (next.removed === 0) return rest
  }
  return { value: null, isWhole: false }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

type Container = Record<string | number, unknown>
const gone = Symbol('removed')

/** A copy of a record without the values at fault. */
function withoutPaths(value: unknown, faults: readonly Fault[]): Rest & { removed: number } {
  if (!isObject(value)) return { value: null, isWhole: false, removed: 0 }
  const copy = structuredClone(value)
  const removed = faults.filter((fault) => remove(copy as Container, stepsToRemove(fault))).length
  return { value: prune(copy), isWhole: removed === faults.length, removed }
}

function stepsToRemove({ path, isOfItem }: Fault): (string | number)[] {
  const steps = stepsOf(path)
  return isOfItem ? steps.slice(0, -1) : steps
}

function stepsOf(path: string): (string | number)[] {
  if (path === '') return []
  return path.split(/\.|(?=\[)/).map((step) => (/^\[\d+\]$/.test(step) ? Number(step.slice(1, -1)) : step))
}

/** Marks a value as removed, or the item of a list that lacks it; returns false if there is neither. */
function remove(record: Container, steps: readonly (string | number)[]): boolean {
  let container = record
  let item: { list: Container; index: number } | null = null
  for (const [depth, step] of steps.entries()) {
    const next = Object.hasOwn(container, step) ? container[step] : undefined
    if (next === gone) return true
    if (typeof step === 'number') item = { list: container, index: step }
    if (depth === steps.length - 1 && next !== undefined) {
      container[step] = gone
      return true
    }
    if (typeof next !== 'object' || next === null) break
    container = next as Container
  }
  if (item === null) return false
  item.list[item.index] = gone
  return true
}

/** Without the removed values, and without lists that have lost all of their items: an empty one would clear the field. */
function prune(value: unknown): unknown {
  if (Array.isArray(value)) {
    const rest = value.filter((item) => item !== gone).map(prune)
    return rest.length === 0 && value.length > 0 ? gone : rest
  }
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      const rest = field === gone ? gone : prune(field)
      return rest === gone ? [] : [[name, rest]]
    }),
  )
}
