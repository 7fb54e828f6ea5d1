import { beforeAll, describe, expect, test } from 'vitest'
import { createLogger } from '../../../src/foundation/runtime/logger.ts'
import { type SmtpSink, startSmtpSink, textOf } from '../../catalogue/privacy/support/smtp-sink.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import type { TestReply } from '../../support/client.ts'
import { createConsoleClient } from '../../support/user.ts'
import { browserAfter, givePassword, goodPassword, newBrowser } from './support/users.ts'

const publicUrl = 'https://console.example'
let sink: SmtpSink
let app: TestApp
let closed: TestApp
/** The warnings of the service. */
const log: string[] = []
beforeAll(async () => {
  sink = await startSmtpSink()
  const now = '2026-11-10T12:00:00.000Z'
  const environment = { MAIL_FROM: 'Storedex <storedex@mail.example>', SMTP_URL: sink.url, TRUST_PROXY: 'loopback' }
  app = await startTestApp({
    now,
    environment: { ...environment, SIGNUP: 'open', PUBLIC_URL: publicUrl },
    log: createLogger({ level: 'warn', destination: { write: (line: string) => void log.push(line) } }),
  })
  closed = await startTestApp({ now })
})

let addresses = 0
const fromElsewhere = () => ({ 'x-forwarded-for': `198.51.100.${++addresses}` })

/** The mails that were asked for. */
const mailsTo = (email: string) =>
  sink.mails.filter(({ to, content }) => to.includes(email) && !content.includes('A new way to sign in'))

/** The reply to a request about an address, and the mail that it led to. */
async function mailAfter(ask: (email: string) => Promise<TestReply>, email: string) {
  const before = mailsTo(email).length
  const reply = await ask(email)
  await expect.poll(() => mailsTo(email).length).toBe(before + 1)
  return { reply, mail: mailsTo(email).at(-1)! }
}

const tokenIn = (text: string) => new RegExp(`${publicUrl}/link#([\\w-]{43})\n`).exec(text)![1]!
const comparable = ({ status, body }: TestReply) => ({ status, body: { ...body, request_id: null } })
const askForPassword = (email: string) => newBrowser(app).post('/password-link', { email }, fromElsewhere())
const signUp = (email: string, more: object = {}) =>
  newBrowser(app).post(
    '/sign-up',
    { email, name: 'Ada Lovelace', account_name: 'Analytical', ...more },
    fromElsewhere(),
  )

describe('a forgotten password', () => {
  test('is replaced by a link that only its mailbox gets', async () => {
    const { email } = await app.person()
    await givePassword(app, email, 'the password that is forgotten')
    const { reply, mail } = await mailAfter((each) => askForPassword(each.toUpperCase()), email)
    expect(comparable(reply)).toEqual({ status: 200, body: { object: 'done', request_id: null } })
    expect(mail).toMatchObject({ from: 'storedex@mail.example', to: [email] })
    expect(mail.content).toMatch(/^Auto-Submitted: auto-generated$/m)
    const token = tokenIn(textOf(mail))
    const changed = await newBrowser(app).post('/link/password', { token, password: goodPassword })
    expect(changed.status).toBe(200)
    expect((await newBrowser(app).post('/sign-in', { email, password: goodPassword })).status).toBe(200)
  })

  test('of an unknown address is answered alike, and nothing is sent', async () => {
    const { email } = await app.person()
    const { reply: known } = await mailAfter(askForPassword, email)
    const unknown = await askForPassword('nobody@people.example')
    expect(comparable(unknown)).toEqual(comparable(known))
    // A later mail arrives, so an earlier one would have.
    await mailAfter(askForPassword, email)
    expect(mailsTo('nobody@people.example')).toEqual([])
  })

  test('is mailed three times in 15 minutes at most, known or not, with the same refusal', async () => {
    const { email } = await app.person()
    const statuses = async (address: string) => {
      const replies: TestReply[] = []
      for (let time = 0; time < 4; time++) replies.push(await askForPassword(address))
      return replies.map(({ status, body }) => `${status} ${body.error?.message ?? ''}`)
    }
    const known = await statuses(email)
    expect(known.map((each) => each.slice(0, 3))).toEqual(['200', '200', '200', '429'])
    expect(await statuses('nobody-else@people.example')).toEqual(known)
    await expect.poll(() => mailsTo(email).length).toBe(3)
  })

  test('needs a command where no mail is set up', async () => {
    const reply = await newBrowser(closed).post('/password-link', { email: 'a@people.example' })
    expect(reply.body.error).toMatchObject({ code: 'invalid_request' })
  })

  test('is not lost for the service when the mail server refuses: the request is answered, and the next is sent', async () => {
    const { email } = await app.person()
    sink.behave('reject')
    const before = log.length
    expect((await askForPassword(email)).status).toBe(200)
    await expect.poll(() => log.length).toBe(before + 1)
    expect(log.at(-1)).toContain('a mail could not be sent')
    expect(log.at(-1)).not.toContain(email)
    sink.behave('accept')
    await mailAfter(askForPassword, email)
  })
})

describe('signing up', () => {
  test('creates the account on plan free when the mailed link is used, and not before', async () => {
    const email = 'ada@people.example'
    const { reply, mail } = await mailAfter(signUp, email)
    expect(reply.status).toBe(200)
    expect((await app.db.query('select from people where email = $1::text', [email])).rowCount).toBe(0)
    const token = tokenIn(textOf(mail))
    expect((await newBrowser(app).post('/link', { token })).body).toMatchObject({
      purpose: 'sign_up',
      email,
      name: 'Ada Lovelace',
      account: { name: 'Analytical', role: 'owner' },
      needs_name: false,
    })
    const replies = await Promise.all(
      [1, 2, 3].map(() => newBrowser(app).post('/link/password', { token, password: goodPassword })),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 410, 410])
    const { body } = await browserAfter(app, replies.find(({ status }) => status === 200)!).get('/session')
    expect(body).toMatchObject({
      person: { email, name: 'Ada Lovelace', operator: false },
      accounts: [{ name: 'Analytical', role: 'owner', api_access: false, plan: { slug: 'free' } }],
    })
    const accounts = await app.db.query("select from accounts where name = 'Analytical'")
    expect(accounts.rowCount).toBe(1)
  })

  test('with a known address is answered alike; the mail says so to its owner, without a link that does anything', async () => {
    const { email } = await app.person()
    const { reply: unknown } = await mailAfter(signUp, 'grace@people.example')
    const { reply, mail } = await mailAfter(signUp, email)
    expect(comparable(reply)).toEqual(comparable(unknown))
    expect(mail.to).toEqual([email])
    expect(textOf(mail)).toContain(`${publicUrl}/sign-in`)
    expect(textOf(mail)).not.toContain('/link#')
  })

  test('puts nothing that a stranger wrote into the mail', async () => {
    const more = { name: 'Buy now http://spam.example', account_name: 'http://spam.example' }
    const { mail } = await mailAfter((each) => signUp(each, more), 'spammed@people.example')
    expect(mail.content).not.toContain('spam.example')
  })

  test('is refused where it is not open', async () => {
    const body = { email: 'a@people.example', name: 'A', account_name: 'A' }
    expect((await newBrowser(closed).post('/sign-up', body)).status).toBe(404)
    expect((await newBrowser(closed).get('/sign-in-options')).body).toMatchObject({ mail: false, signup: false })
    expect((await newBrowser(app).get('/sign-in-options')).body).toMatchObject({ mail: true, signup: true })
  })

  test('is bounded for a mailbox and for an address', async () => {
    const statuses: number[] = []
    for (let time = 0; time < 4; time++) statuses.push((await signUp('flooded@people.example')).status)
    expect(statuses).toEqual([200, 200, 200, 429])
    const headers = { 'x-forwarded-for': '203.0.113.99' }
    const many: number[] = []
    for (let time = 0; time < 21; time++) {
      const body = { email: `guess-${time}@people.example`, name: 'A', account_name: 'A' }
      many.push((await newBrowser(app).post('/sign-up', body, headers)).status)
    }
    expect(many).toEqual([...Array(20).fill(200), 429])
    const mailed = () => sink.mails.filter(({ to }) => /^(?:flooded|guess-\d+)@/.test(to.join()))
    await expect.poll(() => mailed().length).toBe(23)
  })
})

describe('one mailbox', () => {
  const spellings = (n: number) => [`${'<'.repeat(n)}many@elsewhere.example`, `many@elsewhere.example${';'.repeat(n)}`]

  test('gets no more mails than promised, however its address is spelt', async () => {
    const { account, cookie } = await app.person()
    // The cookie's name where the service is at an https address.
    const inviter = createConsoleClient(app.url, `__Host-${cookie}`)
    for (let n = 1; n <= 12; n++)
      for (const email of spellings(n)) {
        expect((await askForPassword(email)).status).toBe(400)
        expect((await signUp(email)).status).toBe(400)
        const invited = await inviter.post(
          `/accounts/${account}/invitations`,
          { email, role: 'member' },
          fromElsewhere(),
        )
        expect(invited.status).toBe(400)
        expect((await newBrowser(app).post('/sign-in', { email, password: 'x' }, fromElsewhere())).status).toBe(400)
      }
    // A later mail arrives, so an earlier one would have.
    await mailAfter(signUp, 'last-of-many@people.example')
    expect(sink.mails.filter(({ to }) => to.join().includes('elsewhere.example'))).toEqual([])
  })

  test('loses none of its three because the mail server refused', async () => {
    const { email } = await app.person()
    sink.behave('reject')
    for (let time = 0; time < 5; time++) {
      const before = log.length
      expect((await askForPassword(email)).status).toBe(200)
      await expect.poll(() => log.length).toBe(before + 1)
    }
    sink.behave('accept')
    await mailAfter(askForPassword, email)
  })

  test('that strangers asked for has mails left for the browser that its owner uses', async () => {
    const { email } = await app.person()
    const known = await givePassword(app, email)
    for (let time = 0; time < 3; time++) await askForPassword(email)
    expect((await askForPassword(email)).status).toBe(429)
    const cookies = known.headers.getSetCookie().map((each) => each.split(';')[0])
    const browser = createConsoleClient(app.url, cookies.join('; '))
    const replies: number[] = []
    for (let time = 0; time < 4; time++) replies.push((await browser.post('/password-link', { email })).status)
    expect(replies).toEqual([200, 200, 200, 429])
  })
})

test('no mail goes to a server without TLS where it is required', async () => {
  const plain = await startSmtpSink()
  const lines: string[] = []
  const strict = await startTestApp({
    now: '2026-11-10T12:00:00.000Z',
    environment: { MAIL_FROM: 'storedex@mail.example', SMTP_URL: plain.url, SMTP_TLS: 'required' },
    log: createLogger({ level: 'warn', destination: { write: (line: string) => void lines.push(line) } }),
  })
  const { email } = await strict.person()
  expect((await newBrowser(strict).post('/password-link', { email })).status).toBe(200)
  await expect.poll(() => lines.join()).toContain('a mail could not be sent')
  expect(lines.join()).toContain('ETLS')
  expect(plain.mails).toEqual([])
})
