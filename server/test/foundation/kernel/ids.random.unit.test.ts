import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { proofRuns } from '../../../../bin/tests/proof-runs.ts'
import { contactKey, createIdSealer, type Mode, splitContactKey } from '../../../src/foundation/kernel/ids.ts'

const sealer = createIdSealer(Buffer.alloc(32, 1))
const largest = Number.MAX_SAFE_INTEGER

const value = fc.oneof(fc.nat({ max: largest }), fc.nat(1000), fc.constantFrom(0, 1, largest - 1, largest))

const globalKinds = ['account', 'key', 'person', 'session', 'invitation', 'passkey'] as const

type Sealed = { text: string; kind: 'store' | 'contact' | (typeof globalKinds)[number]; mode: Mode | null }

function sealEverywhere(number: number): Sealed[] {
  return [
    { text: sealer.seal('store', number, 'live'), kind: 'store', mode: 'live' },
    { text: sealer.seal('store', number, 'test'), kind: 'store', mode: 'test' },
    { text: sealer.seal('contact', number, 'live'), kind: 'contact', mode: 'live' },
    { text: sealer.seal('contact', number, 'test'), kind: 'contact', mode: 'test' },
    ...globalKinds.map((kind) => ({ text: sealer.seal(kind, number), kind, mode: null })),
  ]
}

const prefixOf = (text: string) => text.slice(0, -16)
const lettersOf = (text: string) => text.slice(-16)

describe('a public id', () => {
  test('opens to the kind, mode and number it was sealed from', () => {
    fc.assert(
      fc.property(value, (number) => {
        for (const { text, kind, mode } of sealEverywhere(number)) {
          expect(sealer.open(text)).toEqual({ kind, mode, value: number })
        }
      }),
    )
  })

  test('opens in a batch as it does alone, and other kinds and modes are null', () => {
    const text = fc.oneof(
      value.chain((number) => fc.constantFrom(...sealEverywhere(number).map(({ text }) => text))),
      fc.string(),
      fc.stringMatching(/^ct_live_[A-Za-z]{16}$/),
    )
    fc.assert(
      fc.property(fc.array(text, { maxLength: 10 }), fc.constantFrom<Mode>('live', 'test'), (texts, mode) => {
        const alone = texts.map((each) => {
          const opened = sealer.open(each)
          return opened?.kind === 'contact' && opened.mode === mode ? opened.value : null
        })
        expect(sealer.openMany('contact', texts, mode)).toEqual(alone)
      }),
    )
  })

  test('has the shape of its kind', () => {
    const shapes = [
      /^st_live_[A-Za-z]{16}$/,
      /^st_test_[A-Za-z]{16}$/,
      /^ct_live_[A-Za-z]{16}$/,
      /^ct_test_[A-Za-z]{16}$/,
      /^acct_[A-Za-z]{16}$/,
      /^key_[A-Za-z]{16}$/,
      /^per_[A-Za-z]{16}$/,
      /^ses_[A-Za-z]{16}$/,
      /^inv_[A-Za-z]{16}$/,
      /^psk_[A-Za-z]{16}$/,
    ]
    for (const [index, { text }] of sealEverywhere(123_456).entries()) expect(text).toMatch(shapes[index]!)
  })

  // Callers store ids in their own databases, so these must never change.
  test.each([
    [0, 'st_live_dFbQwzbDPGEMlkNp', 'ct_test_GiUeJurtBdwwLAHz', 'acct_xkGNBprAtguBWwGk', 'key_TagnTbOxWkdcFMCT'],
    [1, 'st_live_NTEQUVHqbXEAvuoa', 'ct_test_YmZCuDIQjufMoSxW', 'acct_ponmDUqDusXKHDbC', 'key_sNELtlwAtbVPdGNe'],
    [
      123_456_789,
      'st_live_TZdsmcqPCnOElKeq',
      'ct_test_pycoVIXkpnxAqSuh',
      'acct_oSASOOnYzLPXhPvP',
      'key_csAbnXqWNvHUhOod',
    ],
    [largest, 'st_live_lcMzAtOaIMrBjlJd', 'ct_test_xbnSaeAVYaVfPrIp', 'acct_eVHSOeqsJBGFEOLB', 'key_CfYHzYQIlolWTkjF'],
  ])('of %d never changes', (number, store, contact, account, key) => {
    const [storeLive, , , contactTest, accountId, keyId] = sealEverywhere(number).map(({ text }) => text)
    expect([storeLive, contactTest, accountId, keyId]).toEqual([store, contact, account, key])
  })

  test('is the same sealed alone or in a batch', () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 50 }), (numbers) => {
        const many = sealer.sealMany('contact', numbers, 'live')
        expect(many).toEqual(numbers.map((number) => sealer.seal('contact', number, 'live')))
      }),
    )
  })

  test('with another prefix does not open', () => {
    for (let number = 0; number < 200; number++) {
      const sealed = sealEverywhere(number)
      for (const { text } of sealed) {
        for (const other of sealed) {
          if (prefixOf(other.text) === prefixOf(text)) continue
          expect(sealer.open(prefixOf(other.text) + lettersOf(text))).toBeNull()
        }
      }
    }
  })

  test('with any one changed letter, or its letters in another case, does not open', () => {
    const text = sealer.seal('store', 77, 'live')
    for (let at = 'st_live_'.length; at < text.length; at++) {
      for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz') {
        if (letter !== text[at]) expect(sealer.open(text.slice(0, at) + letter + text.slice(at + 1))).toBeNull()
      }
    }
    expect(sealer.open(`st_live_${lettersOf(text).toLowerCase()}`)).toBeNull()
    expect(sealer.open(`st_live_${lettersOf(text).toUpperCase()}`)).toBeNull()
  })

  test('that was invented does not open', () => {
    const madeUp = fc.stringMatching(/^(st_live|st_test|ct_live|ct_test|acct|key|per|ses|inv|psk)_[A-Za-z]{16}$/)
    fc.assert(
      fc.property(madeUp, (text) => sealer.open(text) === null),
      { numRuns: proofRuns(5_000) },
    )
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => sealer.open(text) === null))
  })

  test.each([
    ['one letter short', (text: string) => text.slice(0, -1)],
    ['one letter long', (text: string) => `${text}A`],
    ['with a line break', (text: string) => `${text}\n`],
    ['with a letter beyond ASCII', (text: string) => `${text.slice(0, -1)}é`],
    ['with a digit', (text: string) => `${text.slice(0, -1)}1`],
    ['with its prefix in upper case', (text: string) => `ST_LIVE_${lettersOf(text)}`],
    ['of an unknown mode', (text: string) => `st_prod_${lettersOf(text)}`],
    ['without its prefix', lettersOf],
  ])('%s does not open', (_case, alter) => {
    expect(sealer.open(alter(sealer.seal('store', 77, 'live')))).toBeNull()
  })

  test('looks unrelated to those of adjacent rows: most letters differ, at every position', () => {
    const count = 2000
    const ids = sealer.sealMany(
      'store',
      Array.from({ length: count }, (_, number) => number),
      'live',
    )
    const changes = new Array<number>(16).fill(0)
    for (let i = 1; i < count; i++) {
      for (let at = 0; at < 16; at++) {
        if (lettersOf(ids[i]!)[at] !== lettersOf(ids[i - 1]!)[at]) changes[at]!++
      }
    }
    // Random letters differ in 51 of 52 cases.
    for (const changed of changes) expect(changed / (count - 1)).toBeGreaterThan(0.96)
  })

  test('of another installation does not open', () => {
    const elsewhere = createIdSealer(Buffer.alloc(32, 2))
    for (let number = 0; number < 200; number++) {
      expect(elsewhere.open(sealer.seal('store', number, 'live'))).toBeNull()
    }
  })

  test.each([-1, 0.5, 2 ** 53, Number.NaN, Infinity])('cannot be created from %d', (number) => {
    expect(() => sealer.seal('store', number, 'live')).toThrow(RangeError)
  })
})

describe('the key of a contact', () => {
  test('contains its store and its number within the store', () => {
    fc.assert(
      fc.property(fc.nat({ max: 2 ** 41 - 1 }), fc.nat(4095), (storeId, number) => {
        const key = contactKey(storeId, number)
        expect(Number.isSafeInteger(key)).toBe(true)
        expect(splitContactKey(key)).toEqual({ storeId, number })
      }),
    )
  })

  test.each([
    [1, 4096],
    [1, -1],
    [1, 0.5],
    [-1, 0],
    [0.5, 0],
    [2 ** 41, 0],
    [Number.NaN, 0],
    [1, Number.NaN],
  ])('of store %d and number %d does not exist', (storeId, number) => {
    expect(() => contactKey(storeId, number)).toThrow(RangeError)
  })
})
