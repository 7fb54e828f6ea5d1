import type { CsvOptions } from '../csv/open-csv.ts'
import type { SheetOptions } from '../workbook/open-sheet.ts'

/** What a person may say about how a file is read. */
export interface ReadingOptions extends CsvOptions, SheetOptions {}

const optionNames: Record<keyof ReadingOptions, true> = {
  ...{ delimiter: true, encoding: true, decimal: true, dates: true, map: true, sheet: true },
  ...{ shortRows: true, headerRow: true, noHeader: true },
}

/** The options that are given, and nothing else: plain data, as another thread needs it. */
export function givenReadingOptions(
  given: {
    [Name in keyof ReadingOptions]?: ReadingOptions[Name] | undefined
  },
): ReadingOptions {
  const names = Object.keys(optionNames) as (keyof ReadingOptions)[]
  return Object.fromEntries(names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])))
}
