import { Workbook } from '../../src/read/index.ts'

/** The cells of all sheets as a person sees them; rows have so many columns. */
export async function readTexts(file: string, columns: number): Promise<string[][][]> {
  const workbook = await Workbook.open(file, { maxUnpackedBytes: 100_000_000, maxTimes: 1_000 })
  try {
    const sheets: string[][][] = []
    for (const index of workbook.sheets.keys()) {
      const { rows } = await workbook.openSheet(index, columns)
      const texts: string[][] = []
      for await (const several of rows)
        for (const { cells: row } of several)
          texts.push(Array.from({ length: columns }, (_, column) => row[column] ?? ''))
      sheets.push(texts)
    }
    return sheets
  } finally {
    await workbook.close()
  }
}
