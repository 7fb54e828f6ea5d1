/** Rows and columns of a sheet, as Excel has them since 2007. */

export const maxSheetRows = 1_048_576
/** A to XFD. */
export const maxSheetColumns = 16_384

/** The number of a column from 0, by its letters. */
export function columnOf(letters: string): number {
  let column = 0
  for (let at = 0; at < letters.length; at++) column = column * 26 + letters.charCodeAt(at) - 64
  return column - 1
}

/** The letters of a column, by its number from 0. */
export function columnLetters(index: number): string {
  const rest = index >= 26 ? columnLetters(Math.floor(index / 26) - 1) : ''
  return rest + String.fromCharCode(65 + (index % 26))
}
