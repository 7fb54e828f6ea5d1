import { readFileSync } from 'node:fs'
import { domainToUnicode } from 'node:url'
import fc from 'fast-check'
import { getPublicSuffix } from 'tldts'
import { describe, expect, test } from 'vitest'
import { proofRuns } from '../../../../bin/tests/proof-runs.ts'
import { describeDomainFault, isLoopback, normalizeDomain } from '../../../src/foundation/kernel/domain.ts'

interface UrlCase {
  input: string
  base?: string | null
  failure?: boolean
  hostname?: string
}

interface IdnaCase {
  input: string
  output: string | null
}

function readCases<T>(file: string): T[] {
  const rows: (T | string)[] = JSON.parse(readFileSync(new URL(`../../data/wpt-url/${file}`, import.meta.url), 'utf8'))
  return rows.filter((row): row is T => typeof row === 'object')
}

const withoutWww = (host: string) => host.replace(/^(?:www\.)+/, '')

describe('a domain is taken from', () => {
  test.each([
    ['a plain host', 'shop.example', 'shop.example'],
    ['a host in capitals', 'Shop.EXAMPLE', 'shop.example'],
    ['a host amid white space', ' \t\nshop.example\r\n ', 'shop.example'],
    ['a host with a trailing dot', 'shop.example.', 'shop.example'],
    ['a host with www', 'www.shop.example', 'shop.example'],
    ['a host with WWW and a trailing dot', 'WWW.shop.example.', 'shop.example'],
    ['a host with a port', 'shop.example:443', 'shop.example'],
    ['a host with an empty port', 'shop.example:', 'shop.example'],
    ['a host with a path', 'shop.example/collections/all', 'shop.example'],
    ['a host with a query', 'shop.example?utm=1', 'shop.example'],
    ['a host with a fragment', 'shop.example#top', 'shop.example'],
    ['a host with port, path, query and fragment', 'www.shop.example:8443/a?b=c#d', 'shop.example'],
    ['a host with a user', 'mara@shop.example', 'shop.example'],
    ['a URL', 'https://shop.example', 'shop.example'],
    ['a URL with everything', 'https://mara:pw@www.shop.example:8443/a/b?c=d&e=f@g#h', 'shop.example'],
    ['a URL with an @ in its path', 'https://shop.example/@mara', 'shop.example'],
    ['a URL with a percent-encoded path', 'https://www.shop.example/caf%C3%A9/%E2%82%AC?q=%20', 'shop.example'],
    ['a URL with an unencoded path', 'https://shop.example/日本 語/', 'shop.example'],
    ['a URL with capitals', 'HTTPS://WWW.Shop.Example/', 'shop.example'],
    ['a URL with a trailing dot', 'https://shop.example./', 'shop.example'],
    ['a URL without a scheme', '//shop.example/path', 'shop.example'],
    ['a URL of another scheme', 'ftp://shop.example/file', 'shop.example'],
    ['a URL of an unheard-of scheme', 'market+app://mara@Shop.Example:99/x', 'shop.example'],
    ['a URL without slashes', 'https:shop.example', 'shop.example'],
    ['a URL with one slash', 'http:/shop.example/x', 'shop.example'],
    ['a URL with three slashes', 'http:///shop.example/x', 'shop.example'],
    ['a URL with backslashes', 'https:\\\\shop.example\\x', 'shop.example'],
    ['a URL with line breaks in its host', 'https://sh\top.\nexample/', 'shop.example'],
    ['a URL with an escaped host', 'https://%73hop.example/', 'shop.example'],
    ['letters beyond ASCII', 'bücher.example', 'xn--bcher-kva.example'],
    ['capitals beyond ASCII', 'BÜCHER.example', 'xn--bcher-kva.example'],
    ['letters in decomposed form', 'bu\u0308cher.example', 'xn--bcher-kva.example'],
    ['full-width letters', 'ｗｗｗ．ｓｈｏｐ．ｅｘａｍｐｌｅ', 'shop.example'],
    ['an ideographic full stop', 'shop。example', 'shop.example'],
    ['a capital sharp s', 'STRAẞE.example', 'xn--strae-oqa.example'],
    ['a Cyrillic name', 'https://магазин.рф/каталог', 'xn--80aairftm.xn--p1ai'],
    ['its Punycode', 'xn--80aairftm.xn--p1ai', 'xn--80aairftm.xn--p1ai'],
    ['Punycode in capitals', 'XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
    ['a name under two labels of suffix', 'www.shop.co.uk', 'shop.co.uk'],
    ['a name under a private suffix', 'brand.myshopify.com', 'brand.myshopify.com'],
    ['a name under .test', 'shop.test', 'shop.test'],
    ['a subdomain', 'eu.store.shop.com', 'eu.store.shop.com'],
    ['digits and hyphens', '4-you--too.shop-24.com', '4-you--too.shop-24.com'],
    ['a label that only starts like www', 'www2.shop.example', 'www2.shop.example'],
  ])('%s', (_case, input, domain) => {
    expect(normalizeDomain(input)).toBe(domain)
  })
})

describe('no domain is', () => {
  test.each([
    ['nothing', ''],
    ['white space', ' \t\n'],
    ['a dot', '.'],
    ['a single label', 'localhost'],
    ['a single label with a port', 'localhost:3000'],
    ['a top-level name', 'com'],
    ['a top-level name for examples', 'example'],
    ['a suffix of two labels', 'co.uk'],
    ['a private suffix', 'myshopify.com'],
    // Without its www each of these is a suffix, and the www is removed first.
    ['www before a suffix', 'www.com'],
    ['www before a suffix of two labels', 'www.co.uk'],
    ['www before a suffix for examples', 'www.example'],
    ['an unknown suffix', 'shop.notatld'],
    ['a local name', 'printer.local'],
    ['two trailing dots', 'shop.example..'],
    ['a leading dot', '.shop.example'],
    ['an empty label', 'shop..example'],
    ['an underscore', 'my_shop.example'],
    ['an apostrophe', "mara's.example"],
    ['a leading hyphen', '-shop.example'],
    ['a trailing hyphen', 'shop-.example'],
    ['a star', '*.shop.example'],
    ['a comma', 'shop,example.com'],
    ['a list', 'a.example,b.example'],
    ['a space within', 'my shop.example'],
    ['a tab within', 'my\tshop.example'],
    ['a line break within', 'a.example\nb.example'],
    ['a NUL within', 'shop\0.example'],
    ['a NUL before', '\0shop.example'],
    ['a NUL after', 'shop.example\0'],
    ['a NUL within the host of a URL', 'https://shop\0.example/'],
    ['a NUL after the host of a URL', 'https://shop.example\0/'],
    ['a lone surrogate', 'shop\ud800.example'],
    ['a right-to-left override', 'shop\u202e.example'],
    ['an escaped host without a scheme', '%73hop.example'],
    ['a URL escaped twice', 'https%3A%2F%2Fshop.example'],
    ['a backslash without a scheme', 'shop.example\\path'],
    ['a file on a share', '\\\\shop.example\\share'],
    ['bad Punycode', 'xn--0.example'],
    ['empty Punycode', 'xn--.example'],
    ['Punycode of plain letters', 'xn--abc-.example'],
    ['Punycode of capitals', 'xn--bcher-2pa.example'],
    ['Punycode over long for its label', `xn--${'a'.repeat(60)}.example`],
    ['an IPv4 address', '192.0.2.1'],
    ['an IPv4 address in a URL', 'http://192.0.2.1:80/'],
    ['an IPv4 address in hexadecimal', '0x7f.1'],
    ['an IPv4 address as a number', 'http://3221225985/'],
    ['an IPv4 address in full-width digits', '１９２．０．２．１'],
    ['an IPv6 address', '2001:db8::1'],
    ['an IPv6 address in a URL', 'http://[2001:db8::1]/'],
    ['a name with a number at its end', 'shop.example.1'],
    ['a bad port', 'shop.example:http'],
    ['a port out of range', 'shop.example:65536'],
    ['a URL with a bad port', 'https://shop.example:-1/'],
    ['a URL without a host', 'https:///'],
    ['a URL with a user alone', 'https://mara@/'],
    ['a user without a name', '@shop.example'],
    ['a user with a password, without a scheme', 'mara:pw@shop.example'],
    ['a URL of another scheme with four slashes', 'file:////shop.example'],
    ['a URL of another scheme with a backslash', 'app://shop.example\\@other.example/'],
    ['a mail link', 'mailto:mara@shop.example'],
    ['a script', 'javascript:alert(1)'],
    ['a script that names a domain', 'javascript:shop.example'],
    ['inline data', 'data:text/html,shop.example'],
    ['a path', '/shop.example'],
    ['a query', '?shop.example'],
    ['a fragment', '#shop.example'],
  ])('%s', (_case, input) => {
    expect(normalizeDomain(input)).toBeNull()
  })
})

describe('lengths', () => {
  const label = 'a'.repeat(63)
  const longest = `${label}.${label}.${label}.${'b'.repeat(53)}.example`

  test('a label has 63 characters at most', () => {
    expect(normalizeDomain(`${label}.example`)).toBe(`${label}.example`)
    expect(normalizeDomain(`${label}a.example`)).toBeNull()
    expect(normalizeDomain(`https://${label}a.example/`)).toBeNull()
  })

  test('a domain has 253 characters at most, whatever surrounds it', () => {
    expect(longest).toHaveLength(253)
    expect(normalizeDomain(longest)).toBe(longest)
    expect(normalizeDomain(`https://www.${longest}./`)).toBe(longest)
    expect(normalizeDomain(`b${longest}`)).toBeNull()
    expect(normalizeDomain(`https://b${longest}/`)).toBeNull()
  })

  // Without the length limit the last two would take the URL parser minutes.
  test.each([
    ['one label', 'a'.repeat(1_000_000)],
    ['many labels', `${'a.'.repeat(500_000)}example`],
    ['many users', `http://${'@'.repeat(1_000_000)}`],
    ['a space in the middle', `a${' '.repeat(1_000_000)}b`],
    ['colons', ':'.repeat(1_000_000)],
    ['brackets', '['.repeat(1_000_000)],
    ['surrogates', '\ud800'.repeat(1_000_000)],
    ['umlauts', `${'ü.'.repeat(500_000)}example`],
    ['combining marks', `e${'\u0301\u0323'.repeat(500_000)}.example`],
    ['escaped combining marks', `http://e${'%CC%81%CC%A3'.repeat(83_000)}.example/`],
  ])('a megabyte of %s is refused', (_case, text) => {
    expect(normalizeDomain(text)).toBeNull()
  })

  test('a path of a megabyte is accepted', () => {
    expect(normalizeDomain(`https://shop.example/${'ü'.repeat(1_000_000)}`)).toBe('shop.example')
  })
})

describe('the published URL cases', () => {
  const cases = readCases<UrlCase>('urltestdata.json').filter(({ base }) => !base)
  const isWeb = ({ input }: UrlCase) => /^[\0-\x20]*(https?|wss?|ftp):/i.test(input)

  test('are null when the URL standard finds no URL', () => {
    const failing = cases.filter(({ failure }) => failure)
    expect(failing.length).toBeGreaterThan(200)
    for (const { input } of failing) expect([input, normalizeDomain(input)]).toEqual([input, null])
  })

  test("are the URL's host when it has a known suffix", () => {
    const named = cases.filter((one) => isWeb(one) && /\.(com|org|net|bar|example)$/.test(one.hostname ?? ''))
    expect(named.length).toBeGreaterThan(60)
    for (const { input, hostname } of named) {
      expect([input, normalizeDomain(input)]).toEqual([input, withoutWww(hostname!)])
    }
  })

  test('are null when the host has no known suffix', () => {
    const unnamed = cases.filter((one) => isWeb(one) && one.hostname && !/\.[a-z]+$/.test(one.hostname))
    expect(unnamed.length).toBeGreaterThan(20)
    for (const { input } of unnamed) expect([input, normalizeDomain(input)]).toEqual([input, null])
  })

  test('are a host or null when relative, and never throw', () => {
    for (const { input, base } of readCases<UrlCase>('urltestdata.json')) {
      if (base) expectAnswer(input)
    }
  })
})

describe('what a person cannot tell from another domain', () => {
  const marks = [
    '\u00ad',
    '\u200b',
    '\u200c',
    '\u200d',
    '\u200e',
    '\u2060',
    '\ufeff',
    '\u3164',
    '\u034f',
    '\ufe0f',
    '\u00a0',
  ]
  const hyphens = [
    '\u2010',
    '\u2011',
    '\u2012',
    '\u2013',
    '\u2014',
    '\u2015',
    '\u2043',
    '\u2212',
    '\u02d7',
    '\u30fc',
    '\u4e00',
  ]

  test.each(marks)('%j at the ends is removed', (mark) => {
    for (const text of [`${mark}shop.example`, `shop.example${mark}`, `${mark} https://shop.example/x${mark}`])
      expect(normalizeDomain(text)).toBe('shop.example')
    expect(normalizeDomain(`https://shop.example${mark}/x`)).toBe('shop.example')
  })

  test.each([...marks, ...hyphens, '\u00b7', '’', '❤', '\u202e'])('%j within is a fault that names it', (character) => {
    const number = `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
    for (const text of [`my${character}shop.example`, `https://www.my${character}shop.example/x`]) {
      expect(normalizeDomain(text)).toBeNull()
      expect(describeDomainFault(text)).toMatch(new RegExp(`^${number.replace('+', '\\+')}( [A-Z -]+)?$`))
    }
  })

  test('names are given where people meet the character', () => {
    expect(describeDomainFault('my\u2011shop.example')).toBe('U+2011 NON-BREAKING HYPHEN')
    expect(describeDomainFault('my\u200bshop.example')).toBe('U+200B ZERO WIDTH SPACE')
    expect(describeDomainFault('https://my%E2%80%91shop.example')).toBe('U+2011 NON-BREAKING HYPHEN')
    // In Punycode as well.
    expect(describeDomainFault(`${new URL('http://my\u2013shop.example').hostname}`)).toBe('U+2013 EN DASH')
    for (const other of ['not a domain', 'my_shop.example', 'co.uk', '', 'bücher.example'])
      expect(describeDomainFault(other)).toBeNull()
  })

  test.each([
    'コーヒー.example',
    '一番.example',
    'ශ්\u200dරී.example',
    'col·legi.example',
    'straße.example',
    'büro－2.example',
    'ספר״ים.example',
  ])('%s is a domain: there the character belongs', (text) => {
    expect(normalizeDomain(text)).toMatch(/^[a-z0-9.-]+$/)
  })
})

describe('the published IDNA cases', () => {
  // Letters missing in the Unicode tables of Node 20: rejected there, mapped by later versions.
  const newLetters = /[\u04c0\u180e\u206b\u2183\u{2f868}]/u

  test.each(readCases<IdnaCase>('toascii.json'))('"$input" maps as published', ({ input, output }) => {
    const expected = output === null ? null : domainOrNull(`${output}.example`)
    const actual = normalizeDomain(`http://${input}.example/`)
    // What is invisible in front of a host is removed.
    const visible = input.replace(/^[\s\p{Default_Ignorable_Code_Point}]+/u, '')
    if (visible !== input && actual !== null) {
      expect(actual).toBe(normalizeDomain(`http://${visible}.example/`))
      return
    }
    // The URL standard takes symbols, and drops what is invisible; IDNA 2008 does not.
    if (actual === null && expected !== null && describeDomainFault(`http://${input}.example/`) !== null) {
      const unicode = domainToUnicode(`${output}`)
      expect(input + unicode).toMatch(/[\p{S}\p{P}\p{Default_Ignorable_Code_Point}\p{Cn}\p{Co}\p{Nl}\p{No}]/u)
      return
    }
    if (newLetters.test(input)) expect([expected, null]).toContain(actual)
    else expect(actual).toBe(expected)
  })

  // The published result is what the URL standard accepts; a domain must also consist of valid labels.
  function domainOrNull(host: string): string | null {
    const labels = withoutWww(host).split('.')
    const unsound = ['xn--a', 'xn--1ug', 'xn--a-yoc', 'xn--zn7c', 'xn--0']
    const sound = labels.every((label) => /^(?!-)[a-z0-9-]{1,63}(?<!-)$/.test(label) && !unsound.includes(label))
    return sound && labels.join('.').length <= 253 ? labels.join('.') : null
  }

  test('never throw', () => {
    for (const { input } of readCases<IdnaCase>('IdnaTestV2.json')) {
      expectAnswer(input)
      expectAnswer(`https://${input}/`)
      expectAnswer(`${input}.example`)
    }
  })
})

/** For any input: null, or a domain that is its own normal form. */
function expectAnswer(input: string): void {
  const domain = normalizeDomain(input)
  if (domain === null) return
  expect(domain).toMatch(/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]*[a-z0-9]$/)
  expect(normalizeDomain(domain)).toBe(domain)
  expect(normalizeDomain(`https://www.${domain}/`)).toBe(domain)
}

describe('any text', () => {
  test('is null or a domain in normal form', () => {
    const piece = fc.constantFrom(
      ...'http https: // / \\ @ : . www. shop example com co.uk xn-- ü ẞ % %2e - _ [ ] ? #'.split(' '),
    )
    const assembled = fc.array(fc.oneof(piece, fc.string({ unit: 'binary', maxLength: 2 })), { maxLength: 12 })
    fc.assert(
      fc.property(assembled, (pieces) => expectAnswer(pieces.join(''))),
      { numRuns: proofRuns(3_000) },
    )
    fc.assert(fc.property(fc.string({ unit: 'binary' }), expectAnswer))
    fc.assert(fc.property(fc.webUrl(), expectAnswer))
  })

  test('with a valid host gives that host, in any URL', () => {
    const host = fc.stringMatching(/^[a-z0-9]{1,20}(-[a-z0-9]{1,9})?\.(com|de|co\.uk|example|myshopify\.com)$/)
    fc.assert(
      fc.property(host, fc.webPath(), fc.webQueryParameters(), fc.nat(65_535), (name, path, query, port) => {
        // Some of these names are suffixes under which others register, such as uk.com; they are no domain of a shop.
        fc.pre(!name.startsWith('www.') && getPublicSuffix(name, { allowPrivateDomains: true }) !== name)
        for (const text of [
          name,
          `${name}.`,
          `www.${name}`,
          `https://www.${name.toUpperCase()}:${port}${path}?${query}`,
        ]) {
          expect(normalizeDomain(text)).toBe(name)
        }
      }),
    )
  })

  test('gives the same result in optimised code', () => {
    for (let i = 0; i < 10_000; i++) {
      if (normalizeDomain('http://rüdiger.example') !== 'xn--rdiger-3ya.example') expect.fail(`call ${i} differs`)
    }
  })
})

describe('a domain is its own domain', () => {
  const label = fc.oneof(
    fc.constantFrom(
      'www',
      'WWW',
      'ｗｗｗ',
      'shop',
      'Shöp',
      'bücher',
      'straße',
      'コーヒー',
      'магазин',
      'xn--bcher-kva',
      'm',
      'a-b',
    ),
    fc.stringMatching(/^[a-z0-9-]{1,8}$/),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }),
  )
  const suffix = fc.constantFrom(
    'com',
    'co.uk',
    'example',
    'test',
    'myshopify.com',
    'xn--p1ai',
    'рф',
    '香港',
    'de.',
    'ＣＯＭ',
    'dev',
  )
  const dot = fc.constantFrom('.', '.', '.', '。', '．', '｡', '..')
  const front = fc.constantFrom('', '', 'https://', 'http:\\\\', '//', 'mara@', 'ftp://a:b@', ' ', '\u200b')

  test('of whatever labels, dots and suffixes it was made', () => {
    const host = fc
      .tuple(front, fc.array(fc.tuple(label, dot), { minLength: 1, maxLength: 5 }), suffix)
      .map(([start, labels, end]) => `${start}${labels.flat().join('')}${end}`)
    let domains = 0
    fc.assert(
      fc.property(host, (text) => {
        if (normalizeDomain(text) !== null) domains++
        expectAnswer(text)
      }),
      { numRuns: proofRuns(5_000) },
    )
    expect(domains).toBeGreaterThan(100)
  })

  test('whatever the published cases are written with', () => {
    for (const { input } of readCases<UrlCase>('urltestdata.json'))
      for (const text of [input, `www.${input}`, `https://www.www.${input}`, `${input}.example`]) expectAnswer(text)
    for (const { input } of readCases<IdnaCase>('toascii.json')) expectAnswer(`www.www.${input}.example`)
  })

  test.each([
    'www.www.shop.example',
    'https://WWW.www.shop.example/',
    'www.www.www.shop.example',
    'www。www.shop.example',
  ])('%s loses every www', (text) => expect(normalizeDomain(text)).toBe('shop.example'))
})

test('this machine is known by localhost and its addresses, and by no other name', () => {
  for (const host of ['localhost', 'LocalHost', '127.0.0.1', '127.8.9.1', '::1', '[::1]'])
    expect(isLoopback(host), host).toBe(true)
  for (const host of [
    'localhost.example',
    'my.localhost',
    '127.evil.example',
    '127.0.0.1.example',
    '10.0.0.1',
    '::',
    '',
  ])
    expect(isLoopback(host), host).toBe(false)
})
