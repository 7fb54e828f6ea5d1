import { beforeAll, describe, expect, test } from 'vitest'
import { type SmtpSink, startSmtpSink, textOf } from '../../../catalogue/privacy/support/smtp-sink.ts'
import { startTestApp, type TestApp } from '../../../support/app.ts'
import { countLockWaits } from '../../../support/database.ts'
import { createConsoleClient, type TestUser } from '../../../support/user.ts'
import { type Authenticator, createAuthenticator } from '../support/authenticator.ts'
import { givePassword, goodPassword, newBrowser, newLink } from '../support/users.ts'

const otherPassword = 'saffron harbour 17 thimble'
let sink: SmtpSink
let app: TestApp
let origin: string
beforeAll(async () => {
  sink = await startSmtpSink()
  const environment = { MAIL_FROM: 'storedex@mail.example', SMTP_URL: sink.url }
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z', environment })
  // Passkeys need a host name.
  origin = app.url.replace('127.0.0.1', 'localhost')
  app.url = origin
})

const here = () => ({ origin })

async function somebody(): Promise<TestUser> {
  const user = await app.person()
  return { ...user, ...createConsoleClient(origin, user.cookie) }
}

async function newPasskey(user: TestUser, authenticator: Authenticator): Promise<object> {
  const { body } = await user.post('/passkeys/registration-options', undefined, here())
  return { name: 'Laptop', response: authenticator.create(body.options, origin) }
}

async function signInBy(authenticator: Authenticator): Promise<number> {
  const browser = newBrowser(app)
  const { body } = await browser.post('/passkeys/sign-in-options', undefined, here())
  const response = authenticator.get(body.options, origin)
  return (await browser.post('/passkeys/sign-in', { response }, here())).status
}

const signIn = async (email: string, password: string) =>
  (await newBrowser(app).post('/sign-in', { email, password })).status

const noticesTo = (email: string) =>
  sink.mails.filter(({ to, content }) => to.includes(email) && content.includes('A new way to sign in'))

describe('a password that is set by a link', () => {
  test('ends all that somebody else may have set up: sessions, links, passkeys and the password before', async () => {
    const user = await somebody()
    await givePassword(app, user.email)
    const planter = await app.person({ email: user.email, account: user.account })
    const planted = createAuthenticator()
    const at = createConsoleClient(origin, planter.cookie)
    const added = await at.post('/passkeys', await newPasskey({ ...planter, ...at }, planted), here())
    expect(added.status).toBe(200)
    const link = await newLink(app, user.email)
    expect([await signInBy(planted), await signIn(user.email, goodPassword)]).toEqual([200, 200])

    await givePassword(app, user.email, otherPassword)
    expect((await at.get('/session')).status).toBe(401)
    expect((await newBrowser(app).post('/link', { token: link })).status).toBe(410)
    expect(await signInBy(planted)).toBe(401)
    expect(await signIn(user.email, goodPassword)).toBe(401)
    expect(await signIn(user.email, otherPassword)).toBe(200)
  })

  test('lets no passkey through that is added at the same moment', async () => {
    const planter = await somebody()
    const authenticator = createAuthenticator()
    const passkey = await newPasskey(planter, authenticator)
    await whileCredentialsEnd(planter, () => planter.post('/passkeys', passkey, here()))
    expect(await signInBy(authenticator)).toBe(401)
  })

  test('lets no password through that is changed at the same moment', async () => {
    const planter = await somebody()
    await whileCredentialsEnd(planter, () => planter.post('/profile/password', { password: otherPassword }))
    expect(await signIn(planter.email, otherPassword)).toBe(401)
  })

  test('leaves the passkeys of somebody who changes it while signed in', async () => {
    const user = await somebody()
    const authenticator = createAuthenticator()
    await user.post('/passkeys', await newPasskey(user, authenticator), here())
    expect((await user.post('/profile/password', { password: otherPassword })).status).toBe(200)
    expect(await signInBy(authenticator)).toBe(200)
  })
})

/** Sends a request whose transaction meets one that ends the user's sessions; it must be refused. */
async function whileCredentialsEnd(user: TestUser, send: () => Promise<{ status: number }>): Promise<void> {
  const userId = app.deps.ids.open(user.id)!.value
  const ending = await app.db.connect()
  await ending.query('begin')
  await ending.query('select 1 from people where id = $1::bigint for update', [userId])
  const sending = send()
  await expect.poll(() => countLockWaits(app.db)).toBe(1)
  await ending.query('delete from sessions where person_id = $1::bigint', [userId])
  await ending.query('commit')
  ending.release()
  expect((await sending).status).toBe(401)
}

describe('a person is told by mail', () => {
  test('of each new password and passkey, without a word that somebody else could have chosen', async () => {
    const user = await somebody()
    await givePassword(app, user.email)
    await expect.poll(() => noticesTo(user.email).length).toBe(1)
    const again = await app.person({ email: user.email, account: user.account })
    const at = createConsoleClient(origin, again.cookie)
    const passkey = await newPasskey({ ...again, ...at }, createAuthenticator())
    await at.post('/passkeys', { ...passkey, name: 'see http://spam.example' }, here())
    await expect.poll(() => noticesTo(user.email).length).toBe(2)
    await at.post('/profile/password', { password: otherPassword })
    await expect.poll(() => noticesTo(user.email).length).toBe(3)
    const texts = noticesTo(user.email).map((mail) => textOf(mail))
    expect(texts[0]).toContain('a new password was set on 2026-11-10 at 12:00 UTC')
    expect(texts[1]).toContain('a passkey was added')
    for (const text of texts) {
      expect(text).not.toContain('spam.example')
      expect(text).not.toContain('/link#')
    }
  })
})
