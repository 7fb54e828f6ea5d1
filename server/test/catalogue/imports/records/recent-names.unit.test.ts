import { expect, test } from 'vitest'
import { RecentNames } from '../../../../src/catalogue/imports/records/recent-names.ts'

test('the latest 25,000 stores are remembered, and one of many rows for as long as they come', () => {
  const names = new RecentNames()
  expect(names.remember('often.example', 'Mara')).toBeNull()
  for (let row = 0; row < 60_000; row++) {
    names.remember(`s${row}.example`, 'S')
    if (row % 20_000 === 0) expect(names.remember('often.example', `Shop ${row}`)).not.toBeNull()
  }
  expect(names.remember('s59999.example', 'Other')).toBe('S')
  expect(names.remember('s35100.example', 'Other')).toBe('S')
  expect(names.remember('s0.example', 'Other')).toBeNull()
})
