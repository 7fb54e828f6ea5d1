/** What goes wrong with a row as a whole. Such a row has no faulty cells besides, so that its meaning is certain. */
import type { Random } from '../../../catalogue/build/random.ts'
import { brokenByte, type Dialect, joinCells } from '../dialect.ts'

interface RowParts {
  cells: readonly string[]
  header: readonly string[]
  dialect: Dialect
  random: Random
  /** The column of a name, whose text may be any. */
  nameColumn: number
}

export interface RowFault {
  name: string
  probability: number
  /**
   * reject: the line is in the rejects. open: the specification leaves it open, but no value may be wrong.
   * no record: the row stands for nothing, and may be skipped or rejected.
   */
  must: 'reject' | 'open' | 'no record' | 'reject, no record'
  /** Whether its cells stand in the wrong columns, so that any field can be told as well. */
  movesCells?: boolean
  /** The row as cells, or as a text that only a CSV can have, and its name where that changed; null where it does not apply. */
  write(parts: RowParts): { row: string | readonly string[]; name?: string } | null
  /** Whether its rows are such texts. */
  isOfCsv?: true
}

/** The faults that a file of the dialect can have. */
export function rowFaultsOf({ epoch }: Dialect): readonly RowFault[] {
  return epoch === null ? rowFaults : faultsOfCells
}

export const rowFaults: readonly RowFault[] = [
  {
    name: 'a delimiter in a cell without quotes',
    probability: 0.0025,
    isOfCsv: true,
    must: 'reject',
    write: (parts) => ({ row: withNameAs(parts, (name) => `${name}${parts.dialect.delimiter} Inc`) }),
  },
  {
    name: 'a delimiter without quotes that moves cells into a column without a name',
    probability: 0.0012,
    isOfCsv: true,
    must: 'reject',
    movesCells: true,
    write: (parts) => {
      const { cells, dialect } = parts
      // The empty cell at the end is lost, so that the row is as long as the header.
      const moved = [...cells.slice(0, -2), 'Petra']
      return { row: withNameAs({ ...parts, cells: moved }, (name) => `${name}${dialect.delimiter} Jr.`) }
    },
  },
  {
    name: 'a row cut short',
    probability: 0.0015,
    isOfCsv: true,
    must: 'reject',
    write: ({ cells, dialect, random }) => {
      const kept = 2 + random.below(cells.length - 7)
      return cells.slice(kept).some((cell) => cell !== '') ? { row: joinCells(cells.slice(0, kept), dialect) } : null
    },
  },
  {
    name: 'a quote that is never closed',
    probability: 0.001,
    isOfCsv: true,
    must: 'reject',
    write: (parts) => ({ row: withNameAs(parts, (name) => `"${name}`) }),
  },
  {
    name: 'text after a closing quote',
    probability: 0.001,
    isOfCsv: true,
    must: 'reject',
    write: (parts) => ({ row: withNameAs(parts, (name) => `"${name}" GmbH`) }),
  },
  {
    name: 'quotes inside a cell without quotes',
    probability: 0.002,
    isOfCsv: true,
    must: 'open',
    write: (parts) => ({
      row: withNameAs(parts, (name) => `The "Good" ${name}`),
      name: `The "Good" ${plainName(parts)}`,
    }),
  },
  {
    name: 'quotes after a backslash',
    probability: 0.001,
    isOfCsv: true,
    must: 'open',
    write: (parts) => ({
      row: withNameAs(parts, (name) => `"The \\"Good\\" ${name}"`),
      name: `The "Good" ${plainName(parts)}`,
    }),
  },
  {
    name: 'a delimiter at the end',
    probability: 0.003,
    isOfCsv: true,
    must: 'open',
    write: ({ cells, dialect }) => ({ row: `${joinCells(cells, dialect)}${dialect.delimiter}` }),
  },
  {
    name: 'bytes of another encoding',
    probability: 0.002,
    isOfCsv: true,
    must: 'open',
    write: (parts) =>
      parts.dialect.encoding === 'utf-8'
        ? { row: withNameAs(parts, (name) => `${name} Caf${brokenByte}`), name: `${plainName(parts)} Café` }
        : null,
  },
  {
    name: 'a cell of more than a megabyte',
    probability: 0.00002,
    isOfCsv: true,
    must: 'reject',
    write: (parts) => ({ row: withNameAs(parts, (name) => `${name} and so on`.repeat(100_000)) }),
  },
  { name: 'an empty line', probability: 0.001, must: 'no record', write: () => ({ row: [] }) },
  {
    name: 'a row of empty cells',
    probability: 0.001,
    must: 'no record',
    write: ({ cells }) => ({ row: cells.map(() => '') }),
  },
  {
    name: 'the header again',
    probability: 0.0001,
    must: 'reject, no record',
    write: ({ header }) => ({ row: header }),
  },
  {
    name: 'a line of totals',
    probability: 0.0001,
    must: 'reject, no record',
    write: ({ cells, random }) => ({ row: [`Total: ${cells.length * random.below(1_000)} rows`] }),
  },
]

const faultsOfCells = rowFaults.filter(({ isOfCsv }) => !isOfCsv)

/** Writes the name as it is given, whatever it contains; the other cells as they should be. */
function withNameAs(parts: RowParts, write: (name: string) => string): string {
  const { cells, dialect, nameColumn } = parts
  const [before, after] = [cells.slice(0, nameColumn), cells.slice(nameColumn + 1)]
  return [joinCells(before, dialect), write(plainName(parts)), joinCells(after, dialect)].join(dialect.delimiter)
}

/** The name without the characters that a cell without quotes cannot hold. */
function plainName({ cells, nameColumn }: Pick<RowParts, 'cells' | 'nameColumn'>): string {
  return cells[nameColumn]!.replaceAll(/["“”,;\t]/g, '')
}
