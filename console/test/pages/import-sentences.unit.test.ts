import { expect, test } from 'vitest'
import { hintInWords } from '../../src/pages/operator/import/sentences.ts'

// Of the server: cells/ and table-records.ts of its imports.
test.each([
  ['give --encoding, or save the file as UTF-8', 'choose the encoding, or save the file as UTF-8'],
  ['give --decimal comma', 'choose the comma for decimals'],
  [
    'write it without separators, or give --decimal dot or --decimal comma',
    'write it without separators, or choose the decimals',
  ],
  ['give --dates dmy or --dates mdy', 'choose the order of day and month'],
  [
    'give --short-rows fill if empty cells at the end of a row are left out',
    'choose to fill rows with too few cells if empty cells at the end of a row are left out',
  ],
  ['name the column: --map "#3=FIELD"; "#3=" ignores it', 'choose a field for its column, or ignore it'],
  ['format the column as YYYY-MM-DD', 'format the column as YYYY-MM-DD'],
])('the hint %s names no option of the command on the page', (hint, words) => {
  expect(hintInWords(hint)).toBe(words)
})
