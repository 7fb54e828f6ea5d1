import { expect, test } from 'vitest'
import { findForeignCharacter } from '../../../../src/foundation/kernel/text/idna.ts'

const nonJoiner = '\u200c'
const joiner = '\u200d'

test.each([
  ['Persian letters that would join', `نامه${nonJoiner}ای`],
  ['marks between them', `نامهِ${nonJoiner}ای`],
  ['a virama', `क्${nonJoiner}ष`],
  ['a virama, and a joiner', `क्${joiner}ष`],
])('a mark that nobody sees may stand where it shows: %s', (_where, label) => {
  expect(findForeignCharacter(label)).toBe(null)
})

test.each([
  ['between Latin letters', `my${nonJoiner}shop`, nonJoiner],
  ['after a letter that does not join', `دا${nonJoiner}نا`, nonJoiner],
  ['at the end', `نامه${nonJoiner}`, nonJoiner],
  ['before a letter of another script', `نامه${nonJoiner}a`, nonJoiner],
  ['a joiner between Arabic letters', `نامه${joiner}ای`, joiner],
  ['behind a thousand marks', `ه${'\u0650'.repeat(1_000)}${nonJoiner}ا`, nonJoiner],
])('and nowhere else: %s', (_where, label, foreign) => {
  expect(findForeignCharacter(label)).toBe(foreign)
})
