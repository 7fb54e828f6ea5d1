import fc from 'fast-check'
import { expect, test } from 'vitest'
import { StringTable } from '../../src/read/string-table.ts'

test('a table larger than its memory gives back every text, in whatever order they are asked for', () => {
  const text = (index: number) => `text ${index} of a workbook, ü ${'x'.repeat(index % 40)}`
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20_000 }),
      fc.array(fc.nat(), { minLength: 50, maxLength: 200 }),
      fc.constantFrom(0, 30_000, 200_000),
      (size, asked, memory) => {
        const table = new StringTable(memory)
        for (let index = 0; index < size; index++) {
          table.push(text(index))
          if (index % 997 === 0) expect(table.get(index)).toBe(text(index))
        }
        for (const index of asked) expect(table.get(index % size)).toBe(text(index % size))
        expect(table.get(size)).toBeUndefined()
        table.close()
      },
    ),
    { numRuns: 20 },
  )
})
