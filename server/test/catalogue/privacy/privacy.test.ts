import { beforeAll, describe, expect, test } from 'vitest'
import { endExpiredPrivacyLinks } from '../../../src/catalogue/privacy/link.ts'
import { normalizeEmail } from '../../../src/foundation/kernel/channels/email.ts'
import { createLogger } from '../../../src/foundation/runtime/logger.ts'
import { reveal } from '../../product/contacts/support/reveals.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import type { TestReply } from '../../support/client.ts'
import { createConsoleClient } from '../../support/user.ts'
import { contactIdOf, tryImportContacts } from '../erasure/support/people.ts'
import { type SmtpSink, startSmtpSink, textOf, tokenIn } from './support/smtp-sink.ts'

const start = '2026-11-21T12:00:00.000Z'
const hourMs = 3_600_000
const logLines: string[] = []
let sink: SmtpSink
let app: TestApp
let browser: ReturnType<typeof createConsoleClient>

beforeAll(async () => {
  sink = await startSmtpSink()
  const log = createLogger({ level: 'trace', destination: { write: (line) => void logLines.push(line) } })
  const environment = {
    SMTP_URL: sink.url,
    MAIL_FROM: 'Storedex <robot@storedex.example>',
    PUBLIC_URL: 'https://storedex.example',
    TRUST_PROXY: 'loopback',
  }
  app = await startTestApp({ now: start, environment, log })
  browser = createConsoleClient(app.url, null)
})

let visitors = 0
/** Each visitor comes from an address of their own. */
const visitor = (): Record<string, string> => ({ 'x-forwarded-for': `2001:db8:${(++visitors).toString(16)}::1` })
const ask = (email: string, headers = visitor()) => browser.post('/privacy/requests', { email }, headers)
const open = (token: string) => browser.post('/privacy/open', { token })
const erase = (token: string) => browser.post('/privacy/erase', { token })

/** Asks for a link, and returns its token from the mail. */
async function askAndRead(email: string): Promise<string> {
  const before = sink.mails.length
  expect((await ask(email)).status).toBe(202)
  await expect.poll(() => sink.mails.length).toBe(before + 1)
  return tokenIn(sink.mails.at(-1)!)
}

let shops = 0
async function newShop(): Promise<string> {
  const domain = `privacy-${++shops}.example`
  await app.importStores([{ domain, name: `Shop ${shops}`, country: 'DE' }])
  return domain
}

const mara = (store_domain: string, name: string, more: object = {}) => ({
  store_domain,
  external_id: `crm-${name}`,
  first_name: 'Mara',
  last_name: 'Lindqvist',
  title: 'Head of Marketing',
  role: 'marketing',
  emails: [
    { email: `${name}@mail.example`, status: 'verified', type: 'work', is_primary: true },
    { email: `${name}.old@mail.example`, status: 'bounced', type: 'unknown' },
  ],
  phones: [{ phone: '+49 30 5550123', type: 'office' }],
  profile_url: `https://people.example/in/${name}`,
  ...more,
})

/** What a caller sees of a reply, without what names the single request. */
function comparable({ status, headers, body }: TestReply) {
  const shown = [...headers].filter(([name]) => !['x-request-id', 'date'].includes(name))
  return { status, headers: shown, body: JSON.stringify(body).replace(/req_\w+/, 'req_') }
}

describe('asking for a link', () => {
  test('is answered alike for known and unknown addresses, and both get a mail', async () => {
    const shop = await newShop()
    await app.importContacts([mara(shop, 'known')])
    const before = sink.mails.length
    const known = await ask('known@mail.example')
    const unknown = await ask('nobody@mail.example')
    expect(known).toMatchObject({ status: 202, body: { object: 'privacy_request' } })
    expect(comparable(unknown)).toEqual(comparable(known))
    await expect.poll(() => sink.mails.length).toBe(before + 2)
    const [first, second] = sink.mails.slice(before)
    expect([first!.to, second!.to]).toEqual([['known@mail.example'], ['nobody@mail.example']])
    const words = (mail: typeof first) => textOf(mail!).replace(/#[\w-]{43}/, '#')
    expect(words(second)).toBe(words(first))
    expect(words(first)).toContain('https://storedex.example/privacy#')
  })

  test('sends at most three links to a mailbox in an hour, in any spelling, and answers alike', async () => {
    const before = sink.mails.length
    const spellings = ['Flood.Me@gmail.com', 'floodme@googlemail.com', 'flood.me+x@gmail.com', 'f.loodme@gmail.com']
    const replies = []
    for (const email of spellings) replies.push(comparable(await ask(email)))
    for (const reply of replies) expect(reply).toEqual(replies[0])
    await expect.poll(() => sink.mails.length).toBe(before + 3)
    app.clock.advance(hourMs)
    await ask('floodme@gmail.com')
    await expect.poll(() => sink.mails.length).toBe(before + 4)
  })

  test('sends at most twenty links to one network in an hour, and answers alike', async () => {
    const before = sink.mails.length
    const replies = []
    for (let n = 0; n < 23; n++) {
      const sameNetwork = { 'x-forwarded-for': `2001:db8:ffff:1::${n + 1}` }
      replies.push(comparable(await ask(`one-of-many-${n}@mail.example`, sameNetwork)))
    }
    for (const reply of replies) expect(reply).toEqual(replies[0])
    await expect.poll(() => sink.mails.length).toBe(before + 20)
    // The next one is from elsewhere; nothing of the refused ones was still on its way.
    await askAndRead('elsewhere@mail.example')
    expect(sink.mails.length).toBe(before + 21)
  })

  test('of many at once at a mailbox, three are stored', async () => {
    const count = async () => (await app.db.query('select count(*) as n from privacy_requests')).rows[0].n as number
    const before = await count()
    const replies = await Promise.all(Array.from({ length: 12 }, () => ask('at-once@mail.example')))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([202]))
    expect((await count()) - before).toBe(3)
  })

  test('is refused for text that is no address, by its form alone', async () => {
    for (const email of ['nobody', 'a@b', 'a@b.example, c@d.example', 'a b@mail.example', '@mail.example'])
      expect((await ask(email)).body.error, email).toMatchObject({ code: 'invalid_request', param: 'email' })
  })

  test('mails a look-alike of an address to the address itself', async () => {
    const before = sink.mails.length
    // Full-width letters; the Kelvin sign; a host in another spelling.
    for (const email of ['ｖictim@mail.example', 'Kelvin@mail.example', 'host@ＭAIL.example'])
      expect((await ask(email)).status).toBe(202)
    await expect.poll(() => sink.mails.length).toBe(before + 3)
    expect(sink.mails.slice(before).map(({ to }) => to[0])).toEqual([
      'victim@mail.example',
      'kelvin@mail.example',
      'host@mail.example',
    ])
  })

  test('that another site sends is refused', async () => {
    const reply = await ask('known@mail.example', { ...visitor(), origin: 'https://elsewhere.example' })
    expect(reply.body.error.code).toBe('cross_site_request')
  })
})

describe('the stored request', () => {
  test('tells nothing about the address, not even its length', async () => {
    await askAndRead('a@mail.example')
    await askAndRead(`${'long-'.repeat(10)}name@mail.example`)
    const { rows } = await app.db.query<{ sealed_email: Buffer; token_hash: Buffer }>(
      'select sealed_email, token_hash from privacy_requests order by id desc limit 2',
    )
    expect(rows[0]!.sealed_email.length).toBe(rows[1]!.sealed_email.length)
    expect(rows[1]!.sealed_email.includes('a@mail.example')).toBe(false)
  })

  test('ends when its mail is not taken', async () => {
    sink.behave('reject')
    await ask('refused-mail@mail.example')
    const newest = async () =>
      (await app.db.query('select outcome, sealed_email from privacy_requests order by id desc limit 1')).rows[0]
    await expect.poll(newest).toEqual({ outcome: 'mail_failed', sealed_email: null })
    sink.behave('accept')
  })
})

describe('the link', () => {
  test('shows every field of each record with the address, also withheld ones', async () => {
    const shop = await newShop()
    const person = mara(shop, 'shown')
    await app.importContacts([person])
    const customers = [await app.key({}), await app.key({})]
    for (const key of customers) await reveal(key, [await contactIdOf(app, shop, 'crm-shown')])
    const addedAt = app.clock.now().toISOString()
    app.clock.advance(1_000)
    const { status, body } = await open(await askAndRead('Shown@mail.example'))
    expect(status).toBe(200)
    const { request_id: _, ...shown } = body
    const now = app.clock.now()
    expect(shown).toEqual({
      object: 'privacy_data',
      email: 'shown@mail.example',
      requested_at: now.toISOString(),
      expires_at: new Date(now.getTime() + hourMs).toISOString(),
      suppressed_since: null,
      signs_in: false,
      is_customer: false,
      contacts_total: 1,
      contacts: [
        {
          id: expect.stringMatching(/^ct_live_/),
          match: 'address',
          store: { domain: shop, name: expect.stringMatching(/^Shop/) },
          added_at: addedAt,
          revealed_to_accounts: 2,
          external_id: 'crm-shown',
          full_name: null,
          first_name: 'Mara',
          last_name: 'Lindqvist',
          title: 'Head of Marketing',
          role: 'marketing',
          seniority: 'other',
          profile_url: person.profile_url,
          emails: person.emails.map((email) => ({ is_primary: false, ...email })),
          phones: person.phones.map((phone) => ({ ...phone, is_primary: true })),
          withheld: 0,
        },
      ],
    })
  })

  test('gives the same as a file', async () => {
    const shop = await newShop()
    await app.importContacts([mara(shop, 'filed')])
    const token = await askAndRead('filed@mail.example')
    const { body: file } = await browser.post('/privacy/file', { token })
    expect(file).toMatchObject({ object: 'privacy_file', filename: 'data-held-about-me.json' })
    const { object: _, request_id: __, ...shown } = (await open(token)).body
    expect(JSON.parse(file.content)).toEqual(shown)
  })

  test('shows of records that share a mailbox or a profile only what every customer sees', async () => {
    const [shop, other] = [await newShop(), await newShop()]
    const shared = { email: `info@${shop}`, type: 'role' }
    await app.importContacts([
      mara(shop, 'colleague', { emails: [shared, { email: 'private@mail.example' }] }),
      mara(shop, 'own', { profile_url: 'https://people.example/in/twin' }),
      mara(other, 'elsewhere', { profile_url: 'https://people.example/in/twin' }),
    ])
    const { body: mailbox } = await open(await askAndRead(`info@${shop}`))
    expect(mailbox.contacts).toMatchObject([
      {
        match: 'shared_mailbox',
        first_name: 'Mara',
        last_name: 'L***',
        emails: [{ email: `info@${shop}` }],
        withheld: 3,
      },
    ])
    expect(JSON.stringify(mailbox)).not.toMatch(/private@|5550123|Lindqvist|crm-/)

    const { body: own } = await open(await askAndRead('own@mail.example'))
    const byMatch = new Map(own.contacts.map((contact: { match: string }) => [contact.match, contact]))
    expect([...byMatch.keys()].sort()).toEqual(['address', 'same_person'])
    expect(byMatch.get('same_person')).toMatchObject({ store: { domain: other }, emails: [], phones: [], withheld: 4 })
  })

  test('says who else uses the address here', async () => {
    await app.person({ email: 'signs-in@people.example' })
    const { body } = await open(await askAndRead('signs-in@people.example'))
    expect(body).toMatchObject({ signs_in: true, is_customer: false, contacts_total: 0 })
  })

  test('can be opened twice, and by two at once, until it ends', async () => {
    const token = await askAndRead('twice@mail.example')
    const replies = await Promise.all([open(token), open(token)])
    expect(replies.map(({ status }) => status)).toEqual([200, 200])
    expect((await open(token)).status).toBe(200)
  })

  test('is used at most thirty times', async () => {
    const token = await askAndRead('often@mail.example')
    for (let n = 0; n < 30; n++) expect((await open(token)).status).toBe(200)
    expect((await open(token)).body.error.code).toBe('rate_limit_exceeded')
  })

  test('works for an hour', async () => {
    const token = await askAndRead('expiring@mail.example')
    app.clock.advance(hourMs - 1)
    expect((await open(token)).status).toBe(200)
    app.clock.advance(1)
    for (const use of [open, erase, (each: string) => browser.post('/privacy/file', { token: each })])
      expect((await use(token)).body.error).toMatchObject({ code: 'invalid_link' })
  })

  test('of nobody is answered like one that was used or has expired', async () => {
    const used = await askAndRead('used@mail.example')
    await erase(used)
    const replies = []
    for (const token of [used, 'x'.repeat(43), '', 'short', '\u0000']) replies.push(comparable(await open(token)))
    for (const reply of replies) expect(reply).toEqual(replies[0])
    expect(replies[0]).toMatchObject({ status: 410, body: expect.stringContaining('"invalid_link"') })
  })
})

describe('erasing by the link', () => {
  test('erases everywhere, ends the link, and no import brings the person back', async () => {
    const [shop, other] = [await newShop(), await newShop()]
    const people = [mara(shop, 'gone'), mara(other, 'gone'), mara(shop, 'stays', { phones: [] })]
    await app.importContacts(people)
    const token = await askAndRead('gone@mail.example')
    expect((await erase(token)).body).toMatchObject({ object: 'privacy_erasure', erased: 2 })
    const { body } = await open(await askAndRead('gone@mail.example'))
    expect(body).toMatchObject({ contacts_total: 0, suppressed_since: app.clock.now().toISOString() })
    for (const use of [open, erase]) expect((await use(token)).status).toBe(410)

    const again = await tryImportContacts(app, people)
    expect(again).toMatchObject({ inserted: 0, rejected: 2 })
  })

  test('by two at once erases once', async () => {
    const shop = await newShop()
    await app.importContacts([mara(shop, 'raced')])
    const token = await askAndRead('raced@mail.example')
    const replies = await Promise.all([erase(token), erase(token)])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 410])
    expect(replies.find(({ status }) => status === 200)!.body.erased).toBe(1)
  })

  test('keeps imports from adding somebody who is not on file', async () => {
    const shop = await newShop()
    expect((await erase(await askAndRead('never@mail.example'))).body.erased).toBe(0)
    expect(await tryImportContacts(app, [mara(shop, 'never')])).toMatchObject({ inserted: 0, rejected: 1 })
  })

  test('is in the log of operators and of changes without the address', async () => {
    const shop = await newShop()
    await app.importContacts([mara(shop, 'secretive')])
    await erase(await askAndRead('Secretive@mail.example'))
    const { rows: log } = await app.db.query('select * from audit_log where action = $1 order by entry desc limit 1', [
      'privacy_request.erased',
    ])
    expect(log).toMatchObject([{ account_id: 0, person_id: null, details: { erased: 1 }, address: null }])
    const { rows: requests } = await app.db.query('select * from privacy_requests order by id desc limit 1')
    expect(requests).toMatchObject([{ outcome: 'erased', erased: 1, sealed_email: null, ended_at: app.clock.now() }])
  })
})

test('expired requests end by themselves and lose the address; after a year they are gone', async () => {
  const shop = await newShop()
  await app.importContacts([mara(shop, 'kept')])
  await askAndRead('unopened@mail.example')
  await open(await askAndRead('nothing-held@mail.example'))
  await open(await askAndRead('kept@mail.example'))
  const newest = async () => {
    const { rows } = await app.db.query(
      'select outcome, ended_at, sealed_email from privacy_requests where requested_at = $1 order by id desc limit 3',
      [asked],
    )
    return rows
  }
  const asked = app.clock.now()
  const clean = () => endExpiredPrivacyLinks(app.deps.db, app.clock.now())
  await clean()
  expect(await newest()).toMatchObject([{ ended_at: null }, { ended_at: null }, { ended_at: null }])
  app.clock.advance(hourMs)
  await clean()
  const ended = { ended_at: app.clock.now(), sealed_email: null }
  expect(await newest()).toEqual([
    { outcome: 'kept', ...ended },
    { outcome: 'nothing_held', ...ended },
    { outcome: 'expired', ...ended },
  ])
  app.clock.advance(366 * 24 * hourMs)
  await clean()
  expect(await newest()).toEqual([])
})

test('without mail nothing is stored, and the reply names whom to ask', async () => {
  const silent = await startTestApp({ now: start, environment: { PRIVACY_CONTACT: 'privacy@storedex.example' } })
  const { status, body } = await createConsoleClient(silent.url, null).post('/privacy/requests', {
    email: 'a@b.example',
  })
  expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'invalid_request' })
  expect(body.error.message).toContain('privacy@storedex.example')
  expect((await silent.db.query('select from privacy_requests')).rowCount).toBe(0)
})

test('neither the log nor the database has an address that was asked about', async () => {
  const addresses = sink.mails.flatMap(({ to }) => to)
  expect(addresses.length).toBeGreaterThan(30)
  const written = logLines.join('')
  expect(written).toContain('/console/api/privacy/requests')
  for (const address of [...addresses, 'refused-mail@mail.example']) expect(written).not.toContain(address)
  for (const mail of sink.mails) expect(written).not.toContain(tokenIn(mail))
  const { rows } = await app.db.query<{ row: string }>(`
    select privacy_requests::text as row from privacy_requests
    union all select attempt_windows::text from attempt_windows
    union all select audit_log::text from audit_log`)
  const stored = rows.map(({ row }) => row).join('\n')
  expect(stored).not.toMatch(/@/)
  for (const address of addresses) expect(stored).not.toContain(Buffer.from(normalizeEmail(address)!).toString('hex'))
})
