import fc from 'fast-check'
import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { describe, expect, test } from 'vitest'
import { proofRuns } from '../../../../bin/tests/proof-runs.ts'
import { normalizeEmail, normalizeMailHost } from '../../../src/foundation/kernel/channels/email.ts'
import { normalizePhone } from '../../../src/foundation/kernel/channels/phone.ts'
import { normalizeProfile } from '../../../src/foundation/kernel/channels/profile.ts'

const fullWidth = (text: string) => text.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0))

describe('emails', () => {
  test.each([
    ['MARA@Aurora-Candles.Example', 'mara@aurora-candles.example'],
    ['  mara@aurora-candles.example\n', 'mara@aurora-candles.example'],
    ['Mara Lindqvist <mara@aurora-candles.example>', 'mara@aurora-candles.example'],
    ['<mara@aurora-candles.example>', 'mara@aurora-candles.example'],
    ['mailto:mara@aurora-candles.example', 'mara@aurora-candles.example'],
    ['MAILTO:Mara%40aurora-candles.example?subject=Hi', 'mara@aurora-candles.example'],
    ['mara@aurora-candles.example.', 'mara@aurora-candles.example'],
    ['"mara"@aurora-candles.example', 'mara@aurora-candles.example'],
    ['mar\u200ba@aurora\u00ad-candles.example', 'mara@aurora-candles.example'],
    [fullWidth('mara@aurora-candles.example'), 'mara@aurora-candles.example'],
    ['mara@kerzen。example', 'mara@kerzen.example'],
    ['jo\u0308rg@MÜNCHEN.example', 'jörg@xn--mnchen-3ya.example'],
    ['jörg@xn--mnchen-3ya.example', 'jörg@xn--mnchen-3ya.example'],
    ['ΝΊΚΟΣ@kerzen.example', 'νίκοσ@kerzen.example'],
    ['νίκος@kerzen.example', 'νίκοσ@kerzen.example'],
    ['M.a.r.a+shops@googlemail.com', 'mara@gmail.com'],
    ['mara+shops@outlook.com', 'mara@outlook.com'],
    ['mara-shops-news@yahoo.com', 'mara@yahoo.com'],
    // Whether this host ignores the part after the plus is unknown.
    ['mara+shops@aurora-candles.example', 'mara+shops@aurora-candles.example'],
    ['m.ara@aurora-candles.example', 'm.ara@aurora-candles.example'],
  ])('%j is %s', (text, normal) => {
    expect(normalizeEmail(text)).toBe(normal)
  })

  test.each([
    '',
    'mara',
    '@aurora.example',
    'mara@',
    'mara@localhost',
    'mara@10.0.0.1',
    'a@b@aurora.example',
    'a b@c.example',
  ])('%j is invalid', (text) => {
    expect(normalizeEmail(text)).toBeNull()
  })

  const local = fc.stringMatching(/^[a-zA-Z0-9_]{1,8}([.+-][a-zA-Z0-9_]{1,8}){0,3}$/)
  const host = fc.constantFrom(
    'aurora.example',
    'gmail.com',
    'yahoo.com',
    'outlook.com',
    'me.com',
    'ya.ru',
    'kerzen.de',
  )
  const address = fc.tuple(local, host).map((parts) => parts.join('@'))

  test('a normal form is its own', () => {
    const anything = fc.oneof(
      address,
      fc.emailAddress(),
      fc.string({ unit: 'binary' }).map((text) => `${text}@kerzen.de`),
    )
    fc.assert(
      fc.property(anything, (text) => {
        const normal = normalizeEmail(text)
        if (normal !== null) expect(normalizeEmail(normal)).toBe(normal)
      }),
    )
  })

  test('a decorated address has the normal form of the plain one', () => {
    const decorate = fc.constantFrom<(text: string) => string>(
      (text) => text.toUpperCase(),
      (text) => ` Somebody <${text}> `,
      (text) => `mailto:${text}`,
      fullWidth,
    )
    fc.assert(
      fc.property(address, decorate, (text, decorated) => {
        expect(normalizeEmail(decorated(text))).toBe(normalizeEmail(text))
      }),
    )
  })

  test('different addresses at a host without aliases stay different', () => {
    fc.assert(
      fc.property(local, local, (a, b) => {
        fc.pre(a.toLowerCase() !== b.toLowerCase())
        expect(normalizeEmail(`${a}@aurora.example`)).not.toBe(normalizeEmail(`${b}@aurora.example`))
      }),
    )
  })

  test('a host has the normal form of the host of its emails', () => {
    expect(normalizeMailHost('WWW.MÜNCHEN.example')).toBe('xn--mnchen-3ya.example')
    expect(normalizeMailHost('googlemail.com')).toBe('gmail.com')
    expect(normalizeMailHost('com')).toBeNull()
  })
})

describe('phones', () => {
  test.each([
    ['+49 30 123456', null],
    ['+4930123456', null],
    ['0049 30 123456', null],
    ['(0049) 30 123456', null],
    ['+0049 30 123456', null],
    ['(+49) 30 123456', null],
    ['+49 (0)30 123456', null],
    ['+49 (0) 30 / 123-456', null],
    ['+49 030 123456', null],
    ['tel:+49-30-123456', null],
    ['Tel.: +49 30 123456', null],
    ['+49 30 123456 (Zentrale)', null],
    ['\u202a+49 30 123456\u202c', null],
    [fullWidth('+4930123456'), null],
    ['+٤٩ ٣٠ ١٢٣٤٥٦', null],
    ['030 123456', 'DE'],
    ['(030) 12 34 56', 'DE'],
    ['00 49 30 123456', 'AT'],
    ['011 49 30 123456', 'US'],
  ])('%j in %s is +4930123456', (text, country) => {
    expect(normalizePhone(text, country)).toBe('+4930123456')
  })

  test.each([
    ['+39 (0)6 1234567', '+39061234567'],
    ['+7 8 495 123-45-67', '+74951234567'],
    ['+54 11 15 1234-5678', '+5491112345678'],
    ['+1 (555) 555-0123', '+15555550123'],
  ])('%s is %s', (text, normal) => {
    expect(normalizePhone(text, null)).toBe(normal)
  })

  test.each(['+49 30 123456 ext. 12', '+49 30 123456 x12', 'tel:+4930123456;ext=12', '030 123456 ext 12'])(
    'an extension is a line of its own: %s',
    (text) => {
      expect(normalizePhone(text, 'DE')).toBe('+4930123456;ext=12')
    },
  )

  test("a number that no country's rules match keeps its digits and letters", () => {
    expect(normalizePhone('030 / 12-34', null)).toBe('0301234')
    expect(normalizePhone('1-800-FLOWERS', 'US')).toBe('1800flowers')
    expect(normalizePhone('1-800-CANDLES', 'US')).toBe('1800candles')
    expect(normalizePhone('+1 555 01', null)).toBe('+155501')
  })

  test.each(['', 'none', '12', '+', '()'])('%j is invalid', (text) => {
    expect(normalizePhone(text, 'DE')).toBeNull()
  })

  const calling = fc.constantFrom(...new Set(getCountries().map((country) => getCountryCallingCode(country))))
  const international = fc
    .tuple(calling, fc.stringMatching(/^\d{4,12}$/))
    .map(([code, national]) => `+${code}${national}`)

  test('the fast path for clean numbers agrees with the library', () => {
    const clean = fc
      .tuple(calling, fc.stringMatching(/^[2-7]\d{3,11}$/))
      .map(([code, national]) => `+${code}${national}`)
    fc.assert(
      fc.property(clean, (text) => {
        const parsed = parsePhoneNumberFromString(text)
        expect(normalizePhone(text, null)).toBe(parsed?.isPossible() ? parsed.number : text)
      }),
      { numRuns: proofRuns(2_000) },
    )
  })

  test('a normal form is its own, in the same country', () => {
    const written = fc.oneof(
      international,
      fc.stringMatching(/^[+0-9 ()./a-zA-Z-]{1,20}$/),
      fc.string({ unit: 'binary' }),
    )
    fc.assert(
      fc.property(written, fc.constantFrom('DE', 'US', 'IT', 'XX', null), (text, country) => {
        const normal = normalizePhone(text, country)
        if (normal !== null) expect(normalizePhone(normal, country)).toBe(normal)
      }),
      { numRuns: proofRuns(500) },
    )
  })
})

describe('profiles', () => {
  test.each([
    'https://people.example/in/mara-l',
    'http://people.example/in/mara-l/',
    'HTTPS://WWW.People.Example/in/Mara-L',
    '//people.example/in/mara-l',
    'people.example/in/mara-l',
    'https://de.people.example/in/mara-l',
    'https://pt-br.people.example/in/mara-l',
    'https://m.people.example:443/in/mara-l',
    'https://people.example./in//mara-l#about',
    'https://me:secret@people.example/in/mara-l?',
    'https://people.example/in/mara%2Dl?utm_source=x&fbclid=1&trk=y&originalSubdomain=de',
    'https://people.example/company/../in/./mara-l',
    fullWidth('https://people.example/in/mara-l'),
  ])('%s is one profile', (text) => {
    expect(normalizeProfile(text)).toBe('people.example/in/mara-l')
  })

  test('letters have one form however they are encoded', () => {
    const spellings = ['/JÜRGEN', '/jürgen', '/ju\u0308rgen', '/J%C3%BCrgen', '/j%c3%bcrgen', '/J%C3%9Crgen']
    expect(new Set(spellings.map((path) => normalizeProfile(`https://münchen.example${path}`))).size).toBe(1)
  })

  test('parts that name another page stay', () => {
    const profiles = [
      'https://people.example/profile.php?id=1',
      'https://people.example/profile.php?id=2',
      'https://people.example/in/mara',
      'https://people.example/in/mara/2',
      'https://people.example/in%2Fmara',
      'https://team.people.example/in/mara',
      'https://people.example',
      // Without a path the host can be a site of its own.
      'https://de.people.example',
      'https://mara.example',
    ]
    expect(new Set(profiles.map(normalizeProfile)).size).toBe(profiles.length)
  })

  test.each([
    '',
    '@mara',
    'mara',
    '/in/mara',
    'javascript:alert(1)',
    'mailto:mara@aurora.example',
    'https://10.0.0.1/mara',
    'https://localhost/mara',
    'ftp://people.example/mara',
  ])('%j is invalid', (text) => {
    expect(normalizeProfile(text)).toBeNull()
  })

  test('a normal form is its own', () => {
    const path = fc.stringMatching(/^(\/[\w.~@%?=&+#:;，！\\ -]{0,8}){0,4}$/)
    const encoded = fc
      .string({ unit: 'binary', maxLength: 6 })
      .map((text) => `/${encodeURIComponent(text.toWellFormed())}`)
    const host = fc.constantFrom(
      'people.example',
      'www.www.people.example',
      'de.m.people.example',
      'de.co.uk',
      'a.co.uk',
    )
    const link = fc
      .tuple(fc.constantFrom('https://', '//', '', 'http:'), host, fc.oneof(path, encoded))
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.oneof(link, fc.webUrl({ withQueryParameters: true, withFragments: true })), (text) => {
        const normal = normalizeProfile(text)
        if (normal !== null) expect(normalizeProfile(normal)).toBe(normal)
      }),
      { numRuns: proofRuns(1_000) },
    )
  })
})
