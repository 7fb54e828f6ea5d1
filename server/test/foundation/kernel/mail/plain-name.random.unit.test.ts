import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { proofRuns } from '../../../../../bin/tests/proof-runs.ts'
import { plainName } from '../../../../src/foundation/kernel/mail/plain-name.ts'

describe('a name in a text that goes out under our name', () => {
  test.each([
    ['Mara Vogt', 'Mara Vogt'],
    ['Müller & Söhne (Berlin), Inc.', 'Müller & Söhne (Berlin), Inc.'],
    ["O'Neil-Smith", "O'Neil-Smith"],
    ['अनिता देसाई', 'अनिता देसाई'],
    [
      'Storedex Security: your account is locked, go to https://evil.example/unlock',
      'Storedex Security your account is locked, go to https evil…',
    ],
    ['see www.evil.example', 'see www evil example'],
    ['evil\uff0eexample, evil\u2024example, evil\u3002example', 'evil example, evil example, evil example'],
    ['call +1 (800) 555-0199 now', 'call + now'],
    ['a@evil.example', 'a evil example'],
    ['"quoted" <b>“bold”</b>', 'quoted b bold b'],
    ['line\r\nBcc: all@evil.example\u202e', 'line Bcc all evil example'],
    ['://', ''],
  ])('%j is %j', (name, plain) => {
    expect(plainName(name)).toBe(plain)
  })

  test('is short, and has nothing that a mail program makes a link of, nor a quote', () => {
    const parts = fc.constantFrom(
      'http',
      '://',
      'www.',
      '.',
      '@',
      'evil',
      'example',
      '/',
      '+1 800 ',
      '5550199',
      '"',
      '“',
      '\n',
      ' ',
      '．',
      'é',
    )
    const names = fc.oneof(
      fc.string({ maxLength: 200 }),
      fc.array(parts, { maxLength: 40 }).map((all) => all.join('')),
    )
    fc.assert(
      fc.property(names, (name) => {
        const plain = plainName(name)
        expect([...plain].length).toBeLessThanOrEqual(60)
        expect(plain).not.toMatch(/[:/@#<>"“”\\\p{C}]|\.\S|(?:\d[ ()+-]*){7}/u)
      }),
      { numRuns: proofRuns(500) },
    )
  })
})
