/** A cell that cannot be cleaned. Not an Error: files can have many, and a stack costs more than the cell. */
export class CellFault {
  /** The reason; follows the quoted value in a sentence. */
  readonly reason: string
  readonly hint: string | null

  constructor(reason: string, hint: string | null = null) {
    this.reason = reason
    this.hint = hint
  }
}
