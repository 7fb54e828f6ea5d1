import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { WorkbookWriter } from '../../src/write/index.ts'
import { readTexts } from '../support/read-texts.ts'

test('what is written is read as the same cells, several times from one file', async () => {
  const writer = new WorkbookWriter({
    columns: ['name', 'at'],
    sheetName: 'Stores',
    createdAt: new Date(0),
    limits: { rows: 2 },
  })
  writer.add([
    ['=1+1', new Date('2026-11-01T10:11:12.000Z')],
    ['_x0041_ \u0001', { day: '2021-06-11' }],
    [' a\r\nb ', 12.5],
  ])
  const folder = await mkdtemp(join(tmpdir(), 'storedex-read-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'book.xlsx')
  await writeFile(file, writer.end())
  const expected = [
    [
      ['name', 'at'],
      ['=1+1', '2026-11-01T10:11:12'],
      ['_x0041_ \u0001', '2021-06-11'],
    ],
    [
      ['name', 'at'],
      [' a\r\nb ', '12.5'],
    ],
  ]
  expect(await readTexts(file, 2)).toEqual(expected)
  expect(await readTexts(file, 2)).toEqual(expected)
})

test('what lies beyond 4 GB of a file is found', async () => {
  const from = { bytes: 5_000_000_000, cutCells: 0, widths: null, entries: [], sheets: [], open: null }
  const options = { columns: ['name'], sheetName: 'Stores', createdAt: new Date('2026-11-29T01:02:04Z') }
  const writer = new WorkbookWriter({ ...options, state: from })
  writer.add([['far']])
  const folder = await mkdtemp(join(tmpdir(), 'storedex-read-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  // A hole, which takes no room on the disk.
  const file = await open(join(folder, 'book.xlsx'), 'w')
  const bytes = writer.end()
  await file.write(bytes, 0, bytes.length, from.bytes)
  await file.close()
  expect(await readTexts(join(folder, 'book.xlsx'), 1)).toEqual([[['name'], ['far']]])
})
