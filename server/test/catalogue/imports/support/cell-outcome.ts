import { CellFault } from '../../../../src/catalogue/imports/cells/cell-fault.ts'

/** The value of a cell, or the reason why it has none. */
export function outcome(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof CellFault)) throw error
    return `fault: ${error.reason}`
  }
}
