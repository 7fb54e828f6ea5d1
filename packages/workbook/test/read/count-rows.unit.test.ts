import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bookCell, buildBook, type TestSheet } from '@storedex/testkit/workbooks'
import { expect, onTestFinished, test } from 'vitest'
import { Workbook } from '../../src/read/index.ts'

async function openSheets(...sheets: TestSheet[]): Promise<Workbook> {
  const folder = await mkdtemp(join(tmpdir(), 'storedex-count-'))
  const file = join(folder, 'book.xlsx')
  await writeFile(file, buildBook({ sheets }))
  const workbook = await Workbook.open(file, { maxUnpackedBytes: 1e9, maxTimes: 200 })
  onTestFinished(async () => {
    await workbook.close()
    await rm(folder, { recursive: true })
  })
  return workbook
}

const styled = bookCell.raw('<c s="0"/>')
const withValues = [
  ['a shared text'],
  [null, bookCell.inline('an inline text')],
  [0],
  [false],
  [bookCell.formula('1+1', 2)],
  [bookCell.formula('1+1')],
  [bookCell.formula('T(1)', '#N/A')],
]
const withoutValues = [
  [null],
  [styled, styled],
  [bookCell.inline('')],
  [bookCell.raw('<c t="str"><f>T(1)</f><v></v></c>')],
]

test('rows are counted that are read, and no others, up to the limit', async () => {
  const rows = [...withoutValues, ...withValues, ...withoutValues]
  const workbook = await openSheets({ rows }, { rows: withoutValues }, { rows: [] })
  let read = 0
  for await (const batch of (await workbook.openSheet(0, 9)).rows) read += batch.length
  expect(read).toBe(withValues.length)
  expect(await workbook.countRows(0, 100)).toBe(withValues.length)
  expect(await workbook.countRows(0, 3)).toBe(3)
  expect(await Promise.all([1, 2].map((sheet) => workbook.countRows(sheet, 100)))).toEqual([0, 0])
  expect(await Promise.all([0, 1, 2].map((sheet) => workbook.hasRows(sheet)))).toEqual([true, false, false])
})

test('an empty text of the shared table is counted, and is no row to read', async () => {
  const workbook = await openSheets({ rows: [[''], ['']] })
  expect(await workbook.countRows(0, 100)).toBe(2)
  expect(await workbook.hasRows(0)).toBe(false)
})
