import { type Fault, fieldOfPath } from './faults.ts'

/** Faults of one field with one reason. */
export interface Problem {
  field: string
  reason: string
  count: number
  /** The first of them. */
  example: { line: number; value: string | null }
  hint: string | null
}

/** Reasons can contain names of the file, such as unknown fields; so many groups are kept. */
const maxGroups = 500
const maxValueLength = 200

/** Groups the faults of an import by field and reason. */
export class ProblemReport {
  readonly #groups = new Map<string, Problem>()

  add(line: number, faults: readonly Fault[]): void {
    for (const { path, reason, value, hint } of faults) {
      const isFull = this.#groups.size >= maxGroups
      const field = fieldOfPath(path)
      const key = `${field}\n${reason}`
      const known = this.#groups.get(key)
      if (known) known.count++
      else if (isFull) this.#addOther(line)
      else {
        const example = { line, value: value === null ? null : value.slice(0, maxValueLength) }
        this.#groups.set(key, { field, reason, count: 1, example, hint })
      }
    }
  }

  #addOther(line: number): void {
    const other = this.#groups.get('other')
    if (other) other.count++
    else {
      const example = { line, value: null }
      this.#groups.set('other', { field: 'record', reason: 'other problems', count: 1, example, hint: null })
    }
  }

  /** The groups, the most frequent first. */
  list(): Problem[] {
    return [...this.#groups.values()].sort((a, b) => b.count - a.count || a.example.line - b.example.line)
  }
}
