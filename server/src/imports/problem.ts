/** Why one record cannot be taken. It ends in the rejects file; the import goes on. */
export class RecordProblem extends Error {
  /** Whether the rejects file must not repeat the record. */
  readonly isWithheld: boolean

  constructor(reason: string, { isWithheld = false } = {}) {
    super(reason)
    this.name = 'RecordProblem'
    this.isWithheld = isWithheld
  }
}

/** A value in quotes, for a reason: short, and on one line. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}
