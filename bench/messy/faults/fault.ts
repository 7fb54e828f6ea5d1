import type { Random } from '../../../catalogue/build/random.ts'
import type { Dialect } from '../dialect.ts'

/**
 * What the import has to make of a cell, with `--on-bad-value drop`:
 *
 * clean            the value that was meant
 * missing          nothing: the cell is a word for nothing
 * clear            the exact word null, which clears a value
 * drop             a value at fault, which is left out and told
 * drop the item    a value at fault in a list, of which the other items stay
 * drop the channel  the same, and the address or number that it qualifies goes with it
 * reject           the record cannot be kept: its key is at fault
 * clean or drop    the specification leaves it open. The value that was meant, or a value at fault, but never another one
 * missing or drop  the same for a cell without a value
 */
export type Must =
  | 'clean'
  | 'missing'
  | 'clear'
  | 'drop'
  | 'drop the item'
  | 'drop the channel'
  | 'reject'
  | 'clean or drop'
  | 'missing or drop'

export interface CellContext {
  random: Random
  dialect: Dialect
  /** The clean value, never null. */
  value: unknown
  /** The country that a phone number without a calling code is read by; undefined where the file leaves it open. */
  country?: string | null | undefined
  /** Further hosts of a contact's store. */
  aliases?: readonly string[]
}

/** A cell as a fault writes it. */
export interface FaultyCell {
  cell: string
  /** The value that the import must read, where it differs from the clean one. */
  value?: unknown
  must?: Must
  /** Cells of other fields that have to change with it. */
  also?: Record<string, { cell: string; value: unknown }>
}

export interface CellFault {
  name: string
  probability: number
  must: Must
  /** Returns null where the fault does not apply to this value. */
  write(cell: string, context: CellContext): FaultyCell | string | null
}

/** A column of a file: which field it holds under which header, how a clean value is written, what can go wrong. */
export interface Column {
  field: string
  header: string
  write(value: unknown, dialect: Dialect): string
  faults: readonly CellFault[]
  /** A field of an item in a list: texts that stand there although the item is empty. */
  orphans?: readonly string[]
}

export function fault(
  name: string,
  probability: number,
  must: Must,
  write: (cell: string, context: CellContext) => FaultyCell | string | null,
): CellFault {
  return { name, probability, must, write }
}

/** A fault that replaces the cell by one of these texts. */
export function replacedBy(name: string, probability: number, must: Must, texts: readonly string[]): CellFault {
  return fault(name, probability, must, (_cell, { random }) => random.pick(texts))
}

/** What a cell became, and what that means for the record. */
export interface WrittenCell {
  cell: string
  /** What must be in the catalogue: undefined for nothing, null for a value that is cleared. */
  value: unknown
  /** Null for a cell without a fault. */
  fault: string | null
  must: Must
}

/** Draws at most one fault of the column. `allows` says which outcomes the record can have. */
export function writeCell(
  column: Column,
  context: CellContext,
  allows: (must: Must) => boolean,
): WrittenCell & Pick<FaultyCell, 'also'> {
  const { random, value, dialect } = context
  const cell = column.write(value, dialect)
  for (const { name, probability, must, write } of column.faults) {
    if (!random.chance(probability)) continue
    const written = write(cell, context)
    if (written === null) continue
    const faulty = typeof written === 'string' ? { cell: written } : written
    const outcome = faulty.must ?? must
    if (!allows(outcome)) continue
    const read = 'value' in faulty ? faulty.value : value
    return { cell: faulty.cell, value: valueAfter(outcome, read), fault: name, must: outcome, also: faulty.also ?? {} }
  }
  return { cell, value, fault: null, must: 'clean' }
}

function valueAfter(must: Must, value: unknown): unknown {
  if (must === 'clean' || must === 'clean or drop' || must === 'drop the item' || must === 'reject') return value
  return must === 'clear' ? null : undefined
}
