/** A fault of a record: listed in the rejects file, grouped by field and reason in the report. */
export interface Fault {
  /** The field, such as `emails[0].email`; empty for the record as a whole. */
  path: string
  /** The reason without the value, so that equal faults count together. */
  reason: string
  /** The value at fault as it was written; null if there is none to show. */
  value: string | null
  /** What would help; null if the reason says it all. */
  hint: string | null
  /** The sentence of the rejects file, without the path. */
  text: string
  /** Whether the item of a list cannot stay without the value: the value restricts what may be done with it. */
  isOfItem?: boolean
}

/** A fault with its line: of a value that was left out of a record, or a notice. */
export interface LineFault {
  line: number
  fault: Fault
}

/** Builds a fault; the sentence is the reason unless `text` adds the value to it. */
export function fault(
  path: string,
  reason: string,
  { value = null, hint = null, text = reason, isOfItem }: Partial<Omit<Fault, 'path' | 'reason'>> = {},
): Fault {
  return { path, reason, value, hint, text, ...(isOfItem && { isOfItem }) }
}

/** A fault whose sentence begins with the value: `"shop" is not a domain`. */
export function badValue(path: string, value: string, reason: string, hint: string | null = null): Fault {
  return fault(path, reason, { value, hint, text: `${quoteForReason(value)} ${reason}` })
}

function describeFault({ path, text }: Fault): string {
  return path === '' ? text : `${path}: ${text}`
}

/** The sentence of a record: all of its faults. */
export function describeFaults(faults: readonly Fault[]): string {
  return faults.map(describeFault).join('; ')
}

/** The field of a path: `emails[0].email` is `emails.email`; a fault of the whole record has the field `record`. */
export function fieldOfPath(path: string): string {
  return path.replace(/\[\d+\]/g, '') || 'record'
}

/** A record that cannot be applied. The message becomes the reason in the rejects file; the import continues. */
export class RecordError extends Error {
  readonly faults: readonly Fault[]
  /** Whether the rejects file must omit the record itself. */
  readonly isWithheld: boolean
  /** Whether the record can be applied without the values at fault. */
  readonly isTakenWithDrop: boolean

  constructor(problem: readonly Fault[] | string, { isWithheld = false, isTakenWithDrop = false } = {}) {
    const faults = typeof problem === 'string' ? [fault('', problem)] : problem
    super(describeFaults(faults))
    this.name = 'RecordError'
    this.faults = faults
    this.isWithheld = isWithheld
    this.isTakenWithDrop = isTakenWithDrop
  }
}

/** Quotes a value for a reject's reason: at most 80 characters, on one line. */
export function quoteForReason(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}
