import { fieldGroup, type LineTruth } from '../truth.ts'
import { addCount, type RecordComparison } from './compare.ts'

/** One group of the import's report. */
export interface Problem {
  field: string
  reason: string
  count: number
  line: number
  value: string | null
  hint: string | null
}

/** How many values of a group of fields the report must have told. */
export interface ToldRange {
  least: number
  most: number
}

export interface ReportDeviation {
  field: string
  told: number
  least: number
  most: number
}

/** Collects from the truth what a report has to tell, field by field. */
export class ReportCheck {
  readonly #ranges = new Map<string, ToldRange>()
  /** The lines at which a group of fields has a fault. */
  readonly #lines = new Map<string, Set<number>>()

  addLine({ line, told, mayBeTold, optional }: LineTruth, isRejected: boolean): void {
    for (const field of told) this.#widen(fieldGroup(field), 1, 1)
    // Whether an open value of a record that was taken was left out is seen in the catalogue.
    for (const field of mayBeTold) if (isRejected || !optional.includes(field)) this.#widen(fieldGroup(field), 0, 1)
    for (const field of [...told, ...mayBeTold]) {
      const group = fieldGroup(field)
      this.#lines.set(group, (this.#lines.get(group) ?? new Set()).add(line))
    }
  }

  #widen(group: string, least: number, most: number): void {
    const range = this.#ranges.get(group) ?? { least: 0, most: 0 }
    this.#ranges.set(group, { least: range.least + least, most: range.most + most })
  }

  /** Returns the fields whose count is not the number of values that were left out. */
  compare(problems: readonly Problem[], { leftOut, unclear }: RecordComparison): ReportDeviation[] {
    for (const [group, number] of Object.entries(leftOut)) this.#widen(group, number, number)
    for (const [group, number] of Object.entries(unclear)) this.#widen(group, 0, number)
    const told: Record<string, number> = {}
    for (const problem of problems) addCount(told, fieldGroup(problem.field), problem.count)
    return [...new Set([...this.#ranges.keys(), ...Object.keys(told)])].flatMap((field) => {
      const { least, most } = this.#ranges.get(field) ?? { least: 0, most: 0 }
      const number = told[field] ?? 0
      // A row that is no record has no field.
      if (!isField(field) || (number >= least && number <= most)) return []
      return [{ field, told: number, least, most }]
    })
  }

  /** Examples that are at a line without such a fault. */
  wrongExamples(problems: readonly Problem[]): Problem[] {
    return problems.filter(({ field, line }) => {
      const lines = this.#lines.get(fieldGroup(field))
      return isField(fieldGroup(field)) && !lines?.has(line)
    })
  }
}

/** The report names a row without a readable record by no field, or by one that records do not have. */
function isField(group: string): boolean {
  return /^[a-z_]+(?:\.[a-z_]+)*$/.test(group) && !['row', 'record', 'line'].includes(group)
}
