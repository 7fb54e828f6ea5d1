/** Values of a record by their field: `store_created_at.estimate`, `emails.0.email`. */
export type Values = Record<string, unknown>

/** What a line of a file means: one line of the truth, which is NDJSON beside the file. */
export interface LineTruth {
  /** The line on which the row begins, counted from 1. */
  line: number
  /** `maybe`: the specification leaves open whether such a row can be read. */
  rejected: 'no' | 'yes' | 'maybe'
  /** Names of what is wrong with the row; empty for a row that a program could have written. */
  faults: string[]
  /** What must be in the catalogue. A field that is missing here keeps the stored value, null clears it. */
  values: Values
  /** Fields that may be left out and told instead. */
  optional: string[]
  /** Fields whose value is at fault, once for each fault that the report has to count. */
  told: string[]
  /** The same where the specification leaves it open. */
  mayBeTold: string[]
  /** What a person who mends the row writes; null for a row that stands for no record. */
  meant: Values | null
}

/** The file and its truth: what the judge needs. */
export interface MessyFile {
  file: string
  truthFile: string
  /** Rows, without the header. */
  rows: number
  /** Rows without any fault. */
  faultless: number
  /** How often each fault was drawn. */
  drawn: Record<string, number>
}

/** The group that the report counts a field in: the same for all items of a list. */
export function fieldGroup(field: string): string {
  const group = field.replaceAll(/\[\d*\]|\.\d+(?=\.|$)/g, '')
  return group === 'emails' || group === 'phones' ? `${group}.${group.slice(0, -1)}` : group
}
