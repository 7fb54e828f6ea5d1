import fc from 'fast-check'

/** Text of what shops could be called by somebody who wants a formula in a spreadsheet. */
export const hostileText = fc
  .array(
    fc.constantFrom(
      ...['=', '+', '-', '@', '＝', '－', ';', ',', '\t', '|', '\r', '\n', '\r\n', '"', '""', "'"],
      ...[' ', '\u00a0', '\0', 'a', 'Foo', '1', '20%', '.', '=1+1', '@SUM(1)', '-5', '+4930123456', '-cmd|x'],
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''))

/** A number, up to the next delimiter: what stands behind that is a cell of its own for one reader, and no formula for another. */
const harmless = /^(?:\+[1-9]\d{1,14}|-?\d+(?:\.\d+)?)(?=$|[;,|"\s])/

/** The cells that would run, for spreadsheets that split text at any of the delimiters and at line ends; quotes do not help. */
export function formulasIn(text: string): string[] {
  return [';', ',', '\t', '|']
    .flatMap((delimiter) =>
      text
        .split(/\r\n|\r|\n/)
        .flatMap((line) => line.split(delimiter))
        .map((cell) => cell.replace(/^[\s\0"]*/, ''))
        .filter((cell) => /^[=+\-@＝＋－＠]/.test(cell) && !harmless.test(cell))
        .map((cell) => cell.replace(/[;,|"].*$/s, '')),
    )
    .filter((cell, index, all) => all.indexOf(cell) === index)
}
