import { readFileSync } from 'node:fs'
import { domainToUnicode } from 'node:url'
import { describe, expect, test } from 'vitest'
import { errorIn, forEachInParallel, knownDomain, marker, startHostileApp } from './support/hostile-app.ts'

const world = await startHostileApp()

interface PublishedCase {
  input: string
  /** The host in ASCII by the URL standard; null when it refuses the input. */
  output?: string | null
}

function readCases(file: string): PublishedCase[] {
  const rows: (PublishedCase | string)[] = JSON.parse(
    readFileSync(new URL(`../../data/wpt-url/${file}`, import.meta.url), 'utf8'),
  )
  // Only valid Unicode can be percent-encoded.
  return rows.flatMap((row) => (typeof row === 'object' ? [{ ...row, input: row.input.toWellFormed() }] : []))
}
const names = [...readCases('toascii.json'), ...readCases('IdnaTestV2.json')]
// Few of them end in a public suffix.
const hostOf = ({ input }: PublishedCase) => `${input}.example`
const urls = readCases('urltestdata.json').map(({ input }) => input)

/** Letters, marks and digits, with hyphens and joiners between them. */
const isWord = (text: string) => /^(\p{L}|\p{M}|\p{Nd}|[-.\u200c\u200d])+$/u.test(text)
const isShown = (text: string) => !/(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/u.test(text)
/** Capitals and other letters that the tables of older versions of Node do not know. */
const isNew = (text: string) => /[\u04c0\u10a0-\u10c5\u2132\u2183\ufad0-\u{2faff}]|\p{Cn}/u.test(text)

/** What the URL standard takes and IDNA 2008 has nothing against. */
function isSurelyDomain({ input, output }: PublishedCase): boolean {
  if (!output || output.length > 200 || /xn--/i.test(input)) return false
  const labels = output.split('.')
  const isHost = labels.every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label))
  return isHost && [input, domainToUnicode(output)].every(isWord) && isShown(input) && !isNew(input)
}

/** What the URL standard refuses already; nothing of it is removed as invisible. */
const isSurelyNone = ({ input, output }: PublishedCase) =>
  output === null && !/^[\s\p{Default_Ignorable_Code_Point}]/u.test(input)

const lookup = async (input: string) => errorIn(await world.lookup(encodeURIComponent(input)))
const enrich = (domains: string[]) => world.post('/stores/enrich', JSON.stringify({ domains }))

const notFound = { status: 404, code: 'store_not_found', param: 'domain' }
const noDomain = { status: 400, code: 'invalid_domain', param: 'domain' }

test('lookup and enrichment agree on which published URL cases are domains', async () => {
  let domains = 0
  await forEachInParallel(urls, async (input) => {
    const enriched = await enrich([input])
    if (enriched.status === 200) {
      const { data } = JSON.parse(enriched.body)
      expect(data).toEqual([{ domain: expect.any(String), status: 'not_found', store: null }])
      expect(data[0].domain).toMatch(/^([a-z0-9-]+\.)+[a-z0-9-]+$/)
      expect(await lookup(input), input).toEqual(notFound)
      domains++
    } else {
      expect(errorIn(enriched), input).toEqual({ ...noDomain, param: 'domains[0]' })
      // fetch resolves these as path segments.
      if (!['', '.', '..'].includes(input)) expect(await lookup(input), input).toEqual(noDomain)
    }
  })
  expect(domains).toBeGreaterThan(100)
})

test('an enrichment of the published IDNA cases names every invalid index, and accepts the others', async () => {
  const batches = Array.from({ length: Math.ceil(names.length / 25) }, (_, i) => names.slice(i * 25, i * 25 + 25))
  const refused = new Set<PublishedCase>()
  await forEachInParallel(batches, async (batch) => {
    const first = await enrich(batch.map(hostOf))
    const message = first.status === 200 ? '' : JSON.parse(first.body).error.message
    const bad = [...message.matchAll(/domains\[(\d+)\]/g)].map((match) => Number(match[1]))
    if (message) expect(errorIn(first)).toEqual({ status: 400, code: 'invalid_domain', param: `domains[${bad[0]}]` })
    for (const index of bad) refused.add(batch[index]!)
    const good = batch.filter((each) => !refused.has(each)).map(hostOf)
    if (good.length === 0) return
    const second = JSON.parse((await enrich(good)).body)
    expect(second).toMatchObject({ found: 0, not_found: second.data.length })
    expect(second.data.length).toBeLessThanOrEqual(good.length)
  })
  const [domains, none] = [names.filter(isSurelyDomain), names.filter(isSurelyNone)]
  expect(domains.length).toBeGreaterThan(150)
  expect(none.length).toBeGreaterThan(500)
  expect(domains.filter((each) => refused.has(each))).toEqual([])
  expect(none.filter((each) => !refused.has(each))).toEqual([])
})

describe('a lookup of', () => {
  const get = async (path: string) => {
    const [reply] = await world.raw(
      `GET /api/v1/stores/${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\nConnection: close\r\n\r\n`,
    )
    return errorIn(reply!)
  }
  const noRoute = { status: 404, code: 'route_not_found' }

  test.each([
    ['a URL of 8 KB', `https%3A%2F%2Funknown.example%2F${'x'.repeat(8_000)}`, notFound],
    ['a host of 8 KB', 'x'.repeat(8_000), noDomain],
    ['a host of 8 KB of labels', `${'x.'.repeat(4_000)}example`, noDomain],
    ['8 KB of escapes', '%F0%9F%92%A9'.repeat(660), noDomain],
    ['a stray percent sign', `${marker}%`, noDomain],
    ['escapes that are none', `${marker}%zz.example`, noDomain],
    ['escapes that are no UTF-8', `${marker}%ff%fe.example`, noDomain],
    ['an overlong slash', '..%c0%af..%c0%afetc%c0%afpasswd', noDomain],
    ['an escaped escape', `${encodeURIComponent(encodeURIComponent(`https://${knownDomain}/`))}`, noDomain],
    ['a NUL', `${knownDomain}%00`, noDomain],
    ['a NUL within', 'well%00-kept.example', noDomain],
    ['a line break', `${knownDomain}%0d%0aX-Evil:1`, noDomain],
    ['dots', '..', noDomain],
    ['escaped dots', '%2e%2e', noDomain],
    ['escaped dots and slashes', '%2e%2e%2f%2e%2e%2fusage', noDomain],
    ['a path upwards', '../usage', noRoute],
    ['a path with a query', 'a/b?c=d', noRoute],
    ['nothing', '', noRoute],
    ['nothing but a query', `?domain=${knownDomain}`, noRoute],
    ['a statement', "'%3B%20drop%20table%20stores%3B--", noDomain],
    ['an expression', '$%7B7*7%7D.example', noDomain],
    ['a name that objects inherit', '__proto__', noDomain],
    ['a known one, misspelt by a wildcard', 'well%25.example', noDomain],
    ['a known one, misspelt by a lookalike', 'w%D0%B5ll-kept.example', notFound],
    ['a user that looks like a known one', `https%3A%2F%2F${knownDomain}%40other.example`, notFound],
    ['a path that looks like a known one', `https%3A%2F%2Fother.example%2F${knownDomain}`, notFound],
  ])('%s', async (_what, path, expected) => {
    expect(await get(path)).toEqual(expected)
  })
})
