import { type Fault, fieldOfPath } from './faults.ts'
import type { ImportProblem } from './report.ts'

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
