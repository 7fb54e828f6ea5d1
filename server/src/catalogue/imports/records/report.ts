/** What an import reports of itself: to the command, to the page of the import, and where it is stored. */

import { type Static, Type } from 'typebox'
import { ClosedObject, Count, Nullable, OneOf } from '../../../foundation/kernel/shapes.ts'
import { type Fault, fieldOfPath } from '../fields/faults.ts'

/** What records are of. */
export const recordsOf = ['stores', 'contacts'] as const
export type RecordsOf = (typeof recordsOf)[number]
/** What files are of. */
export const importKinds = [...recordsOf, 'stores+contacts'] as const
export type ImportKindName = (typeof importKinds)[number]

/** The handling of a record with a bad value: reject it, or omit the value. */
export const badValueRules = ['reject', 'drop'] as const

/** Records of a file that have the same fault. */
const ImportProblem = ClosedObject({
  field: Type.String(),
  reason: Type.String(),
  count: Count('Records.'),
  line: Count('Line of the first one.'),
  value: Nullable(Type.String({ description: 'Its value; only of stores.' })),
  hint: Nullable(Type.String()),
})
export type ImportProblem = Static<typeof ImportProblem>

/** The counts of the stores, or of the contacts, of a file. `read` is the sum of the four that follow it. */
export const ImportReport = ClosedObject({
  of: OneOf(recordsOf),
  read: Count('Records read.'),
  inserted: Count('New ones.'),
  updated: Count('Changed ones.'),
  unchanged: Count('Those that change nothing.'),
  rejected: Count('Those not taken.'),
  dropped: Count('Values left out.'),
  would_take_with_drop: Count('Rejected records that would be taken without their bad values.'),
  seconds: Type.Number({ minimum: 0 }),
  // The most frequent first.
  problems: Type.Array(ImportProblem),
  // Notices without a refusal. Missing in reports of earlier versions.
  notices: Type.Optional(Type.Array(ImportProblem)),
})
export type ImportReport = Static<typeof ImportReport>

/** Reasons can contain names of the file, such as unknown fields; so many groups are kept. */
const maxGroups = 500
const maxValueLength = 200

/** Groups the faults of an import by field and reason. */
export class ProblemReport {
  readonly #groups = new Map<string, ImportProblem>()

  add(line: number, faults: readonly Fault[]): void {
    for (const { path, reason, value, hint } of faults) {
      const isFull = this.#groups.size >= maxGroups
      const field = fieldOfPath(path)
      const key = `${field}\n${reason}`
      const known = this.#groups.get(key)
      if (known) known.count++
      else if (isFull) this.#addOther(line)
      else
        this.#groups.set(key, { field, reason, count: 1, line, value: value?.slice(0, maxValueLength) ?? null, hint })
    }
  }

  #addOther(line: number): void {
    const other = this.#groups.get('other')
    if (other) other.count++
    else
      this.#groups.set('other', { field: 'record', reason: 'other problems', count: 1, line, value: null, hint: null })
  }

  /** The groups, the most frequent first. */
  list(): ImportProblem[] {
    return [...this.#groups.values()].sort((a, b) => b.count - a.count || a.line - b.line)
  }
}
