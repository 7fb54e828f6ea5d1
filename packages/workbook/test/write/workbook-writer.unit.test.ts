import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CellValue, type WorkbookOptions, type WorkbookState, WorkbookWriter } from '../../src/write/index.ts'
import { type ReadCell, readSheet, unzip } from './read-back.ts'

const createdAt = new Date('2026-11-29T01:02:04Z')
const options: WorkbookOptions = { columns: ['domain', 'name', 'score'], sheetName: 'Stores', createdAt }

async function writeParts(of: WorkbookOptions, parts: readonly CellValue[][][]): Promise<Buffer> {
  const writer = new WorkbookWriter(of)
  const written: Buffer[] = []
  for (const rows of parts) {
    writer.add(rows)
    written.push(await writer.flush())
  }
  return Buffer.concat([...written, writer.end()])
}

const sheetOf = (file: Buffer, number = 1) => unzip(file).get(`xl/worksheets/sheet${number}.xml`)!
const rowsOf = (file: Buffer, number = 1) => readSheet(sheetOf(file, number)).slice(1)
const text = (value: string): ReadCell => ({ type: 'text', value })

describe('the sheet', () => {
  test('has its header bold, frozen and with a filter over all rows', async () => {
    const file = await writeParts(options, [[['a.example', 'A', 1]], [['b.example', 'B', 2]]])
    const sheet = sheetOf(file)
    expect(readSheet(sheet)[0]).toEqual(['domain', 'name', 'score'].map(text))
    expect(sheet).toContain('<c r="A1" s="1"')
    expect(sheet).toContain('<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>')
    expect(sheet).toContain('<autoFilter ref="A1:C3"/>')
    expect(unzip(file).get('xl/workbook.xml')).toContain(
      `<definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">'Stores'!$A$1:$C$3</definedName>`,
    )
  })

  test('without rows has a header', () => {
    const file = new WorkbookWriter(options).end()
    expect(readSheet(sheetOf(file))).toEqual([['domain', 'name', 'score'].map(text)])
  })

  test('has columns as wide as the header and the rows of the first part need, up to a bound', async () => {
    const long = 'w'.repeat(500)
    const first = [['a-long-name-of-a-domain.example', long, 1]]
    const [one, other] = await Promise.all([
      writeParts(options, [first]),
      writeParts(options, [first, [['a-much-longer-name-of-another-domain.example', '', 2]]]),
    ])
    const widthsOf = (file: Buffer) => [...sheetOf(file).matchAll(/ width="(\d+)"/g)].map(([, width]) => Number(width))
    expect(widthsOf(one)).toEqual([33, 60, 9])
    expect(widthsOf(other)).toEqual(widthsOf(one))
  })

  test('takes rows that are shorter and longer than the header', async () => {
    const file = await writeParts(options, [[['a'], [], ['a', 'b', 'c', 'd']]])
    expect(rowsOf(file)).toEqual([[text('a')], [], ['a', 'b', 'c', 'd'].map(text)])
  })

  test('is followed by another with the same header when it is full', async () => {
    const rows = Array.from({ length: 7 }, (_, index) => [`s${index}.example`, 'name', index])
    const file = await writeParts({ ...options, limits: { rows: 3 } }, [rows.slice(0, 2), rows.slice(2)])
    const entries = unzip(file)
    expect([1, 2, 3].map((number) => rowsOf(file, number).length)).toEqual([3, 3, 1])
    expect(readSheet(sheetOf(file, 3))[0]).toEqual(['domain', 'name', 'score'].map(text))
    const workbook = entries.get('xl/workbook.xml')!
    expect([...workbook.matchAll(/<sheet name="([^"]+)"/g)].map(([, name]) => name)).toEqual([
      'Stores',
      'Part 2',
      'Part 3',
    ])
    expect(workbook).toContain(`localSheetId="2" hidden="1">'Part 3'!$A$1:$C$2<`)
  })

  test('is followed by another before it has more bytes than programs read', async () => {
    const rows = Array.from({ length: 20 }, (_, index) => [`ä${index}`, 'x'.repeat(300), index])
    const limits = { bytes: 4_000 }
    const [whole, cut] = await Promise.all([
      writeParts({ ...options, limits }, [rows]),
      writeParts({ ...options, limits }, [rows.slice(0, 5), rows.slice(5, 6), rows.slice(6)]),
    ])
    expect([...unzip(whole).values()].every((content) => content.length <= 5_500)).toBe(true)
    const sheetCount = [...unzip(whole).keys()].filter((name) => name.includes('sheets/')).length
    expect(sheetCount).toBe(3)
    expect([1, 2, 3].flatMap((number) => rowsOf(whole, number))).toHaveLength(20)
    expect(unzip(cut).get('xl/worksheets/sheet2.xml')!.length).toBeGreaterThan(0)
  })

  test.each([
    ["Stores [1]: 'all'", 'Stores  1    all'],
    ['', '1'],
    ['History', 'History 1'],
    ['A & B', 'A &amp; B'],
    ['x'.repeat(40), 'x'.repeat(31)],
  ])('has a name that Excel takes, instead of %j', (sheetName, expected) => {
    const workbook = unzip(new WorkbookWriter({ ...options, sheetName }).end()).get('xl/workbook.xml')!
    expect(/<sheet name="([^"]*)"/.exec(workbook)?.[1]).toBe(expected)
    expect(workbook).toContain(`>'${expected}'!$A$1:$C$1<`)
  })
})

describe('a cell', () => {
  const read = async (value: CellValue) => rowsOf(await writeParts(options, [[[value, 'end']]]))[0]![0]

  test.each(['=1+1', '+1-800-555', '@SUM(A1)', '-2+3', '=HYPERLINK("https://evil.example","x")', '\t=1'])(
    'with the text %j is text, without a guard',
    async (value) => {
      expect(await read(value)).toEqual(text(value))
      expect(sheetOf(await writeParts(options, [[[value]]]))).not.toContain('<f')
    },
  )

  test.each(['+442079460123', '004912345', '1234567890123456789', '1e5', 'true', '2026-01-01'])(
    'with the text %j does not become a number or a date',
    async (value) => expect(await read(value)).toEqual(text(value)),
  )

  test('with a moment holds the moment, with a day the day', async () => {
    const moment = new Date('2026-11-01T10:11:12.345Z')
    expect(await read(moment)).toEqual({ type: 'moment', value: moment.getTime() })
    expect(await read({ day: '2021-06-11' })).toEqual({ type: 'day', value: Date.UTC(2021, 5, 11) })
    const sheet = sheetOf(await writeParts(options, [[[new Date('2024-01-01T12:00:00Z'), { day: '1900-03-01' }]]]))
    expect(sheet).toContain('<v>45292.5</v>')
    expect(sheet).toContain('<v>61</v>')
  })

  test('with a time that programs read differently is text', async () => {
    expect(await read({ day: '1900-02-28' })).toEqual(text('1900-02-28'))
    expect(await read(new Date('1899-12-31T00:00:00Z'))).toEqual(text('1899-12-31T00:00:00.000Z'))
    expect(await read(new Date(Date.UTC(10_000, 0, 1)))).toEqual(text('+010000-01-01T00:00:00.000Z'))
  })

  test('with a truth value has the same word as CSV', async () => {
    expect(await read(true)).toEqual(text('true'))
    expect(await read(false)).toEqual(text('false'))
  })

  test('has no more text than Excel takes, and says that it was cut, between characters', async () => {
    const writer = new WorkbookWriter(options)
    writer.add([['x'.repeat(32_767), `${'x'.repeat(32_765)}😀${'y'.repeat(9)}`]])
    const [[whole, cut]] = rowsOf(Buffer.concat([await writer.flush(), writer.end()])) as [[ReadCell, ReadCell]]
    expect(whole.value).toBe('x'.repeat(32_767))
    expect(cut.value).toBe(`${'x'.repeat(32_765)}…`)
    expect(writer.cutCells).toBe(1)
  })

  test('keeps any text; half a surrogate pair becomes U+FFFD', async () => {
    const near = fc.constantFrom(
      '_x0041',
      '_x005F_',
      '_X000a_',
      '_',
      '\r',
      '\n',
      '\u0001',
      ' ',
      '&',
      '<',
      ']]>',
      '\ufffe',
    )
    const anyText = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(near).map((all) => all.join('')),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(anyText, { minLength: 1, maxLength: 20 }), async (values) => {
        const rows = rowsOf(await writeParts(options, [values.map((value) => [value, 'end'])]))
        expect(rows.map(([cell]) => cell?.value ?? '')).toEqual(values.map((value) => value.toWellFormed()))
      }),
    )
  })

  test('keeps any number and any time', async () => {
    const time = fc.date({
      min: new Date('1900-03-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    })
    const number = fc.double({ noDefaultInfinity: true, noNaN: true })
    await fc.assert(
      fc.asyncProperty(number, time, async (one, other) => {
        const [row] = rowsOf(await writeParts(options, [[[one, other]]]))
        expect(row).toEqual([
          // There is one zero in a workbook.
          { type: 'number', value: one === 0 ? 0 : one },
          { type: 'moment', value: other.getTime() },
        ])
      }),
    )
  })
})

describe('parts', () => {
  const cell = fc.oneof(
    fc.string(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
  )
  const rows = fc.array(fc.array(cell, { maxLength: 4 }), { minLength: 1, maxLength: 30 })
  const cuts = fc.array(fc.nat({ max: 30 }), { maxLength: 4 })
  const limits = fc.record({ rows: fc.integer({ min: 1, max: 40 }), bytes: fc.integer({ min: 100, max: 5_000 }) })

  const split = <Item>(all: readonly Item[], at: readonly number[]): Item[][] => {
    const ends = [...at.toSorted((a, b) => a - b), all.length]
    return ends.map((end, index) => all.slice(index === 0 ? 0 : ends[index - 1], end))
  }

  test('cut anywhere give the same sheets', async () => {
    const contentOf = (file: Buffer) =>
      [...unzip(file)].map(([name, content]) => [name, content.replace(/<cols>.*<\/cols>/, '')])
    await fc.assert(
      fc.asyncProperty(rows, cuts, limits, async (all, at, bounds) => {
        const whole = await writeParts({ ...options, limits: bounds }, [all])
        const inParts = await writeParts({ ...options, limits: bounds }, split(all, at))
        expect(contentOf(inParts)).toEqual(contentOf(whole))
      }),
    )
  })

  test('of another writer that goes on from the state give the same bytes', async () => {
    await fc.assert(
      fc.asyncProperty(rows, cuts, limits, async (all, at, bounds) => {
        const parts = split(all, at)
        const of = { ...options, limits: bounds }
        const undisturbed = await writeParts(of, parts)
        const written: Buffer[] = []
        let state: WorkbookState | undefined
        for (const part of parts) {
          const writer = new WorkbookWriter({ ...of, ...(state && { state }) })
          writer.add(part)
          // Killed before it was stored, and repeated.
          await writer.flush()
          const again = new WorkbookWriter({ ...of, ...(state && { state }) })
          again.add(part)
          written.push(await again.flush())
          state = JSON.parse(JSON.stringify(again.state))
        }
        written.push(new WorkbookWriter({ ...of, ...(state && { state }) }).end())
        expect(Buffer.concat(written).equals(undisturbed)).toBe(true)
      }),
    )
  })

  test('end whole without a flush before', async () => {
    const writer = new WorkbookWriter(options)
    writer.add([['a.example', 'A', 1]])
    expect(writer.pendingBytes).toBeGreaterThan(0)
    expect(() => writer.state).toThrow('not flushed')
    const file = writer.end()
    expect(writer.bytes).toBeLessThan(file.length)
    expect(rowsOf(file)).toHaveLength(1)
  })
})
