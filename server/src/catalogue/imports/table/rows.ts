/** A row of a table, whatever it was written in. */

/** The text of a row; in an invalid one, cells contain U+FFFD. */
export type RowText = 'ascii' | 'utf-8' | 'invalid' | 'workbook'

/** The cells of a row, or the reason why it is malformed. */
export type TableRow = { line: number; bytes: number } & (
  | {
      cells: string[]
      text: RowText
      /** Of a workbook: what each cell holds beside its text (`cellKinds`); null if all hold text alone. */
      kinds?: Uint8Array | null
      /** Whether the workbook hides the row. */
      isHidden?: boolean
      problem?: never
    }
  | { cells?: never; kinds?: never; isHidden?: never; problem: string; content: string }
)

/** The cells of a workbook's row, as they were. */
export interface TypedCells {
  cells: readonly string[]
  kinds: Uint8Array
}

/** The cells of those that have some. */
export function cellsOf(rows: readonly TableRow[]): string[][] {
  return rows.flatMap(({ cells }) => (cells ? [cells] : []))
}

/** How many cells most rows have. */
export function commonWidthOf(rows: readonly (readonly string[])[]): number {
  const counts = new Map<number, number>()
  for (const cells of rows) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1)
  return [...counts].reduce((most, each) => (each[1] > most[1] ? each : most), [0, 0])[0]
}
