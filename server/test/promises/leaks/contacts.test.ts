import { createHash } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { eraseContacts } from '../../../src/catalogue/erasure/erase-contacts.ts'
import { scopes } from '../../../src/customers/auth/caller.ts'
import { createMetrics } from '../../../src/foundation/http/metrics.ts'
import { normalizeEmail } from '../../../src/foundation/kernel/channels/email.ts'
import { normalizePhone } from '../../../src/foundation/kernel/channels/phone.ts'
import { normalizeProfile } from '../../../src/foundation/kernel/channels/profile.ts'
import { createLogger } from '../../../src/foundation/runtime/logger.ts'
import { buildApp } from '../../../src/program/app.ts'
import { importSuppressionLines, peopleAt, tryImportContacts } from '../../catalogue/erasure/support/people.ts'
import { generous, unknownId } from '../../product/contacts/support/reveals.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import { atEnd } from '../../support/cleanup.ts'
import type { Json } from '../../support/client.ts'

const shops = ['quiet-shop.example', 'silent-shop.example']

/** People with distinctive data; only first name, title and role may appear in previews. */
const people = [
  {
    last_name: 'Zwettlmayr-Ogunbanjo',
    emails: [
      { email: 'W.Zwettlmayr@quiet-shop.example', status: 'verified', type: 'work', is_primary: true },
      { email: 'private.wanda+shops@gmail.com', status: 'unverified', type: 'personal' },
      { email: 'wanda-long-gone@quiet-shop.example', status: 'bounced' },
    ],
    phones: [
      { phone: '+49 (0)30 555-01 97', type: 'office' },
      { phone: '0170 555 01 98', type: 'mobile' },
    ],
    profile_url: 'https://www.people.example/in/Wanda-Zw?trk=list',
  },
  {
    last_name: 'Ŵŷñńé "DROP TABLE contacts;--',
    emails: [{ email: 'jörg.weird@münchen.example', status: 'accept_all' }],
  },
  { last_name: '山田太郎丸', profile_url: 'https://people.example/in/山田太郎丸' },
  { last_name: '\u202eנסתר‏כאן', phones: [{ phone: '+1 (202) 555-0176 ext. 4417' }] },
  { last_name: '<script>alert(document.title)</script>', full_name: 'Prof. Hidden Wholename-Only' },
  { last_name: '%{jndi:ldap://unseen}%s%n{{7*7}}', emails: [{ email: '"odd.local"@quiet-shop.example' }] },
  { last_name: 'Nochannels-Quagmire' },
  { last_name: 'Onlybad-Thistlewood', emails: [{ email: 'guessed.thistle@silent-shop.example', status: 'guessed' }] },
  {
    last_name: 'Erased-Lüdenscheid',
    emails: [{ email: 'erased.one@silent-shop.example' }],
    phones: [{ phone: '+49 40 5550123' }],
  },
  {
    last_name: 'Refused-Montgomery',
    emails: [{ email: 'refused.one@silent-shop.example' }],
    profile_url: 'https://people.example/in/refused-one',
  },
].map((person, index) => ({
  store_domain: shops[index < 6 ? 0 : 1]!,
  external_id: `crm-secret-${index}-${person.last_name}`,
  first_name: `First${index}`,
  title: 'Buyer',
  ...person,
}))
const [erased, refused] = people.slice(-2) as [Json, Json]

/** Everything that must not leak, in normal and original spellings, and as hashes. */
const secrets: string[] = people.flatMap((person: Json) => {
  const emails: string[] = (person.emails ?? []).map(({ email }: Json) => email)
  const phones: string[] = (person.phones ?? []).map(({ phone }: Json) => phone)
  const normalPhones = phones.map((phone) => normalizePhone(phone, 'DE')!)
  const profiles: string[] = person.profile_url ? [person.profile_url, normalizeProfile(person.profile_url)!] : []
  const normalEmails = emails.map((email) => normalizeEmail(email)!)
  return [
    ...emails,
    ...normalEmails,
    ...normalEmails.map((email) => email.slice(0, email.lastIndexOf('@'))),
    ...normalEmails.flatMap((email) => ['md5', 'sha1', 'sha256'].map((name) => digest(name, email))),
    ...phones,
    ...normalPhones,
    ...[...phones, ...normalPhones].map((phone) => phone.replace(/\D/g, '')),
    ...profiles,
    person.last_name,
    `${person.first_name} ${person.last_name}`,
    ...(person.full_name ? [person.full_name] : []),
    person.external_id,
  ]
})

function digest(name: string, text: string): string {
  return createHash(name).update(text).digest('hex')
}

/** The secrets in a text: verbatim, or escaped for JSON, URLs or HTML, or in base64. */
function secretsIn(text: string): string[] {
  const haystack = foldText(text)
  return secrets.filter((secret) => spellings(secret).some((spelling) => haystack.includes(foldText(spelling))))
}

function spellings(secret: string): string[] {
  const html = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '').slice(0, -1)
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), encodeURI(secret), html, base64]
}

const foldText = (text: string) => text.normalize('NFKC').toLowerCase()

const logged: string[] = []
const replies: { what: string; status: number; text: string; headers: string }[] = []
const metrics = createMetrics()

let app: TestApp
let url: string
let key: TestKey
let ids: string[]
beforeAll(async () => {
  app = await startTestApp({
    now: '2026-11-21T12:00:00Z',
    log: createLogger({ level: 'trace', destination: { write: (line: string) => void logged.push(line) } }),
  })
  const server = await buildApp(app.deps, [metrics.observe])
  url = await server.listen({ host: '127.0.0.1', port: 0 })
  atEnd(() => server.close())
  await app.importStores(shops.map((domain) => ({ domain, name: 'A shop', country: 'DE' })))
  await importSuppressionLines(app, refused.profile_url)
  const { rejected } = await tryImportContacts(app, people)
  expect(rejected).toBe(1)
  ids = (await Promise.all(shops.map((shop) => peopleAt(app, shop)))).flat().map(({ id }) => id)
  key = await app.key({ scopes, limits: generous })
})

async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}, as = key) {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${as.secret}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  replies.push({
    what: `${method} ${path}`,
    status: response.status,
    text,
    headers: JSON.stringify([...response.headers]),
  })
  return { status: response.status, text, body: text === '' ? undefined : JSON.parse(text) }
}

const reveal = (contact_ids: unknown, headers: Record<string, string> = {}, as = key) =>
  call('POST', '/contacts/reveal', { contact_ids }, headers, as)

/** Only successful reveals may contain secrets; other replies, headers and logs may not. */
function expectNoLeaks(): void {
  for (const { what, status, text, headers } of replies) {
    const isReveal = what.endsWith('/contacts/reveal') && status === 200
    expect(isReveal ? [] : secretsIn(text), `${what} ${status}`).toEqual([])
    expect(secretsIn(headers), `headers of ${what} ${status}`).toEqual([])
  }
  expect(logged.length).toBeGreaterThan(0)
  expect(secretsIn(logged.join(''))).toEqual([])
}

test('the detector finds secrets in a reveal, where they may be', async () => {
  const { text } = await reveal(ids)
  const found = secretsIn(text)
  for (const secret of ['w.zwettlmayr@quiet-shop.example', '山田太郎丸', '+49 (0)30 555-01 97', people[5]!.last_name])
    expect(found.map(foldText)).toContain(foldText(secret))
  expect(secretsIn(Buffer.from('x +1 (202) 555-0176 ext. 4417 y').toString())).not.toEqual([])
  expect(secretsIn(`a%20${encodeURIComponent('https://people.example/in/山田太郎丸')}`)).not.toEqual([])
})

test('searches, previews, lookups and cursors hold no secret', async () => {
  for (const limit of [1, 3, 100]) {
    let cursor: string | null = null
    do {
      const { status, body }: Json = await call('POST', '/contacts/search', {
        limit,
        cursor,
        max_contacts_per_store: 10,
      })
      expect(status).toBe(200)
      cursor = body.next_cursor
      if (cursor !== null) expect(secretsIn(JSON.stringify(app.deps.cursors.open(cursor)))).toEqual([])
    } while (cursor !== null)
  }
  await call('POST', '/contacts/search', { person: { has_verified_email: true, has_phone: true, has_profile: true } })
  const { body } = await call('POST', '/stores/search', {
    filters: { contacts: { has_revealable_contacts: true } },
    limit: 1,
  })
  expect(secretsIn(JSON.stringify(app.deps.cursors.open(body.next_cursor)))).toEqual([])
  const include = ['store', 'technologies', 'contact_previews']
  const enriched = await call('POST', '/stores/enrich', { domains: shops, include, max_contacts_per_store: 10 })
  expect(enriched.body.data[0].contact_previews).toHaveLength(6)
  for (const shop of shops) expect((await call('GET', `/stores/${shop}`)).status).toBe(200)
  for (const path of ['/usage', '/taxonomy', '/openapi.json']) expect((await call('GET', path)).status).toBe(200)
  expectNoLeaks()
})

test('refused, replayed and failed reveals hold no secret outside the reveal itself', async () => {
  const broke = await app.key({ limits: { ...generous, contact_credits: 1 } })
  const slow = await app.key({ limits: { requests_per_minute: 1 } })
  const noExports = await app.key({ limits: { ...generous, store_exports: 0 } })
  const about = { 'idempotency-key': `for ${people[0]!.emails![0]!.email}, +49305550197` }
  const statuses = [
    await reveal(ids, {}, broke),
    await reveal([unknownId(app), ids.at(-2)], {}, broke),
    await reveal([people[0]!.emails![0]!.email]),
    await reveal([`ct_live_${people[0]!.last_name}`]),
    await reveal(people.map(({ last_name }) => last_name).join()),
    await call('POST', '/contacts/reveal', { contact_ids: ids, comment: people[2]!.last_name }),
    await call('POST', '/contacts/reveal', `{"contact_ids":["${people[4]!.last_name}`),
    await reveal(ids, { 'idempotency-key': '' }),
    await reveal(ids.slice(0, 2), about),
    await reveal(ids.slice(0, 2), about),
    await reveal(ids.slice(0, 3), about),
    await reveal(ids.slice(0, 2), {}, noExports),
    await reveal(ids.slice(0, 2), {}, slow),
    await reveal(ids.slice(0, 2), {}, slow),
    await call('GET', `/contacts/${encodeURIComponent(people[0]!.emails![0]!.email)}`),
  ].map(({ status }) => status)
  expect(statuses).toEqual([402, 404, 400, 400, 400, 400, 400, 400, 200, 200, 409, 429, 200, 429, 404])

  const { storeId, number, sealed } = await alterSealed()
  expect((await reveal([ids[0]])).status).toBe(500)
  expect(logged.join('')).toContain('sealed bytes were altered')
  await app.db.query('update contacts set sealed = $3 where store_id = $1 and number = $2', [storeId, number, sealed])
  expectNoLeaks()
})

/** Damages the first sealed contact; returns the original bytes. */
async function alterSealed() {
  const { rows } = await app.db.query(
    'select store_id as "storeId", number, sealed from contacts order by store_id, number limit 1',
  )
  const { storeId, number, sealed } = rows[0] as { storeId: number; number: number; sealed: Buffer }
  const altered = Buffer.concat([sealed.subarray(0, -1), Buffer.from([sealed.at(-1)! ^ 1])])
  await app.db.query('update contacts set sealed = $3 where store_id = $1 and number = $2', [storeId, number, altered])
  return { storeId, number, sealed }
}

test('erasures and rejected imports of erased people hold no secret', async () => {
  expect(await eraseContacts(app.operator, { email: erased.emails[0].email })).toEqual({ erased: 1 })
  const { rejects } = await tryImportContacts(app, [erased])
  expect(rejects).toHaveLength(1)
  expect(secretsIn(JSON.stringify(rejects))).toEqual([])
  expectNoLeaks()
})

test('metrics hold no secret', async () => {
  await reveal(ids.slice(0, 1))
  const text = await metrics.registry.metrics()
  expect(text).toContain('route="/api/v1/contacts/reveal"')
  expect(secretsIn(text)).toEqual([])
})

test('no column of any table holds a secret in clear', async () => {
  await reveal(ids.slice(0, 1), { 'idempotency-key': 'dumped' })
  const { rows: columns } = await app.db.query<{ table: string; column: string; type: string }>(
    `select table_name as table, column_name as column, data_type as type
     from information_schema.columns where table_schema = 'public'`,
  )
  const holders: string[] = []
  for (const { table, column, type } of columns) {
    const text = type === 'bytea' ? `encode("${column}", 'escape') || encode("${column}", 'hex')` : `"${column}"::text`
    const { rows } = await app.db.query<{ content: string }>(
      `select coalesce(string_agg(${text}, ' '), '') as content from "${table}"`,
    )
    if (secretsIn(rows[0]!.content).length > 0) holders.push(`${table}.${column}`)
  }
  expect(columns.map(({ table }) => table)).toEqual(
    expect.arrayContaining(['contacts', 'stores', 'idempotency', 'ledger']),
  )
  expect(holders).toEqual([])
})
