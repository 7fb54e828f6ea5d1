import { beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import type { TestUser } from '../../support/user.ts'

let app: TestApp
let key: TestKey
let person: TestUser
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  key = await app.key({ limits: { requests_per_minute: 10_000 } })
  person = await app.person({ role: 'owner' })
  await app.importStores([{ domain: 'my-shop.example' }, { domain: 'myshop.example' }])
})

const lookAlikes: [character: string, name: string][] = [
  ['\u2011', 'U+2011 NON-BREAKING HYPHEN'],
  ['\u2013', 'U+2013 EN DASH'],
  ['\u00ad', 'U+00AD SOFT HYPHEN'],
  ['\u200b', 'U+200B ZERO WIDTH SPACE'],
  ['\u200d', 'U+200D ZERO WIDTH JOINER'],
  ['\u30fc', 'U+30FC KATAKANA-HIRAGANA PROLONGED SOUND MARK'],
]

test.each(lookAlikes)('%j in a domain is named at every door, and finds no other store', async (character, name) => {
  const domain = `my${character}shop.example`
  const replies = [
    await key.get(`/stores/${encodeURIComponent(domain)}`),
    await key.get(`/stores/${encodeURIComponent(`https://www.${domain}/x`)}`),
    await key.post('/stores/enrich', { domains: [domain] }),
    await key.post('/contacts/search', { store: { domains: ['my-shop.example', domain] } }),
    await person.get(`/accounts/${person.account}/stores/${encodeURIComponent(domain)}`),
  ]
  for (const { status, body } of replies) {
    expect(body.error).toMatchObject({ code: 'invalid_domain', message: expect.stringContaining(name) })
    expect(status).toBe(400)
  }
})

test('one bad line among 25 is told by its place and its character', async () => {
  const domains = Array.from({ length: 25 }, (_, index) => `shop-${index}.example`)
  domains[7] = 'my\u2011shop.example'
  const { body } = await key.post('/stores/enrich', { domains })
  expect(body.error).toMatchObject({
    code: 'invalid_domain',
    param: 'domains[7]',
    message: 'domains[7] (it has U+2011 NON-BREAKING HYPHEN) is not a domain or a URL with one.',
  })
  domains[20] = 'nonsense'
  expect((await key.post('/stores/enrich', { domains })).body.error.message).toBe(
    'domains[7] (it has U+2011 NON-BREAKING HYPHEN), domains[20] are not domains or a URL with one.',
  )
})

test('what is invisible at the ends is removed', async () => {
  for (const text of ['\u200bmy-shop.example', 'my-shop.example\ufeff', '\u00a0https://my-shop.example/\u200e'])
    expect((await key.get(`/stores/${encodeURIComponent(text)}`)).body).toMatchObject({ domain: 'my-shop.example' })
})
