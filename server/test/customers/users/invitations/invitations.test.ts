import pino from 'pino'
import { beforeAll, describe, expect, test } from 'vitest'

import { type SmtpSink, startSmtpSink, textOf } from '../../../catalogue/privacy/support/smtp-sink.ts'
import { startTestApp, type TestApp } from '../../../support/app.ts'
import type { Json, TestReply } from '../../../support/client.ts'
import { type AccountUser, atAccount, auditLines, newMember, outcomeOf } from '../support/account-user.ts'
import { browserAfter, goodPassword, newBrowser } from '../support/users.ts'

const now = '2026-11-10T12:00:00.000Z'
const lines: string[] = []
let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now, log: pino({ level: 'trace' }, { write: (line) => lines.push(line) }) })
})

const tokens: string[] = []
const tokenOf = ({ status, body }: TestReply): string => {
  expect(status).toBe(200)
  const [, token] = /\/link#([\w-]{43})$/.exec(body.link) ?? []
  tokens.push(token!)
  return token!
}
const newAddress = () => `person-${crypto.randomUUID()}@people.example`
const open = (token: string, browser = newBrowser(app)) => browser.post('/link', { token })
const join = (token: string, name = 'Nora New') =>
  newBrowser(app).post('/link/password', { token, name, password: goodPassword })
const membersOf = async (user: AccountUser) =>
  (await user.members()).body.data.map(({ email, role }: Json) => `${email} ${role}`)

describe('without mail, the link is shown once to who invites', () => {
  test('and lets somebody new set a name and a password', async () => {
    const owner = await newMember(app, { name: 'Owner' })
    const email = newAddress()
    const sent = await owner.invite(` ${email.toUpperCase()} `, 'admin')
    expect(sent.body).toMatchObject({ email, role: 'admin', delivery: 'link', expires_at: '2026-11-13T12:00:00.000Z' })
    expect(sent.headers.get('cache-control')).toBe('no-store')
    const token = tokenOf(sent)
    expect((await owner.invitations()).body.data).toEqual([
      {
        object: 'invitation',
        id: sent.body.id,
        email,
        role: 'admin',
        created_at: now,
        expires_at: '2026-11-13T12:00:00.000Z',
        is_expired: false,
        invited_by: { id: owner.id, name: 'Owner' },
      },
    ])
    expect((await open(token)).body).toMatchObject({ purpose: 'invitation', email, needs_name: true })
    const joined = await join(token)
    expect(joined.status).toBe(200)
    const session = (await browserAfter(app, joined).get('/session')).body
    expect(session.accounts).toMatchObject([{ id: owner.account, role: 'admin' }])
    expect((await owner.invitations()).body.data).toEqual([])
    expect(outcomeOf(await join(token))).toBe('410 invalid_link')
    expect(await auditLines(app, owner.account)).toEqual([
      'invitation.created by Owner {"role":"admin"}',
      'invitation.accepted by Nora New {"role":"admin"}',
    ])
  })

  test('and lets somebody who is known join only when they are signed in', async () => {
    const owner = await newMember(app)
    const known = await app.person()
    const token = tokenOf(await owner.invite(known.email, 'viewer'))
    const unknown = tokenOf(await owner.invite(newAddress(), 'viewer'))
    const seen = async (each: string, browser = newBrowser(app)) => {
      const { email: _, request_id: __, ...rest } = (await open(each, browser)).body
      return rest
    }
    // The page is the same whether or not the address is known, for whoever it is not for.
    for (const browser of [newBrowser(app), owner, await app.person()]) {
      expect(await seen(token, browser)).toEqual(await seen(unknown, browser))
      expect(await seen(token, browser)).toMatchObject({ needs_name: true, needs_sign_in: true, name: null })
    }
    const looked = await known.post('/link/look', { token })
    expect(looked.body).toMatchObject({ purpose: 'invitation', needs_name: false, needs_sign_in: false })
    expect(outcomeOf(await join(token))).toBe('410 invalid_link')
    expect(await membersOf(owner)).toEqual([`${owner.email} owner`])
    expect((await open(token, known)).status).toBe(200)
    expect(await membersOf(owner)).toEqual([`${owner.email} owner`, `${known.email} viewer`])
    expect(outcomeOf(await atAccount(known, owner.account).members())).toBe('200')
    expect(outcomeOf(await open(token, known))).toBe('410 invalid_link')
  })

  test('and the answer does not tell whether the address is known', async () => {
    const owner = await newMember(app)
    const { email: known } = await app.person()
    const unknown = newAddress()
    const comparable = ({ status, headers, body }: TestReply) => ({
      status,
      headers: [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name)),
      body: { ...body, id: '', email: '', link: body.link.replace(/#.*/, ''), request_id: '' },
    })
    const replies = [await owner.invite(known), await owner.invite(unknown)]
    expect(comparable(replies[0]!)).toEqual(comparable(replies[1]!))
    const listed = (await owner.invitations()).body.data
    expect(listed.map(({ id: _, email: __, ...rest }: Json) => rest)[0]).toEqual(
      listed.map(({ id: _, email: __, ...rest }: Json) => rest)[1],
    )
  })
})

describe('with mail, the link is mailed and shown to nobody', () => {
  let sink: SmtpSink
  let mailing: TestApp
  beforeAll(async () => {
    sink = await startSmtpSink()
    mailing = await startTestApp({
      now,
      environment: { SMTP_URL: sink.url, MAIL_FROM: 'Storedex <no-reply@storedex.example>' },
    })
  })

  test('to people known and unknown', async () => {
    const owner = await newMember(mailing, { name: 'Mara Owner' })
    const { email: known } = await mailing.person()
    const unknown = newAddress()
    for (const email of [known, unknown]) {
      const before = sink.mails.length
      const sent = await owner.invite(email)
      expect(sent.body).toMatchObject({ delivery: 'mail', link: null })
      await expect.poll(() => sink.mails.length).toBe(before + 1)
      const mail = sink.mails.at(-1)!
      expect(mail.to).toEqual([email])
      expect(textOf(mail)).toContain(
        'Somebody who is called "Mara Owner" invites you to an account called "Test account"',
      )
      expect(mail.content).toMatch(/^Subject: Invitation to an account at [\w.:]+$/m)
      const [, token] = /\/link#([\w-]{43})/.exec(textOf(mail))!
      expect(JSON.stringify(sent.body)).not.toContain(token)
    }
  })

  test('at most five times in a quarter of an hour by one account to one address', async () => {
    const email = newAddress()
    const [one, other] = [await newMember(mailing), await newMember(mailing)]
    const { id } = (await one.invite(email)).body
    for (let count = 0; count < 4; count++) expect(outcomeOf(await one.sendAgain(id))).toBe('200')
    expect(outcomeOf(await one.sendAgain(id))).toBe('429 rate_limit_exceeded')
    // What one account sends uses up nothing of another's.
    expect(outcomeOf(await other.invite(email))).toBe('200')
    mailing.clock.advance(15 * 60_000)
    const again = atAccount(await mailing.person({ email: one.email, account: one.account }), one.account)
    expect(outcomeOf(await again.sendAgain(id))).toBe('200')
    mailing.clock.set(now)
  })

  test('five times a day by an account without a plan, and what was refused does not count', async () => {
    const stranger = await newMember(mailing, { plan: 'free' })
    expect(outcomeOf(await stranger.invite('<a@people.example'))).toBe('400 invalid_request')
    expect(outcomeOf(await stranger.invite(stranger.email))).toBe('409 already_member')
    const sent: string[] = []
    for (let count = 0; count < 6; count++) sent.push(outcomeOf(await stranger.invite(newAddress())))
    expect(sent).toEqual([...Array(5).fill('200'), '429 rate_limit_exceeded'])
    mailing.clock.advance(23 * 3_600_000)
    const later = () => mailing.person({ email: stranger.email, account: stranger.account })
    expect(outcomeOf(await atAccount(await later(), stranger.account).invite(newAddress()))).toBe(
      '429 rate_limit_exceeded',
    )
    mailing.clock.advance(3_600_000)
    expect(outcomeOf(await atAccount(await later(), stranger.account).invite(newAddress()))).toBe('200')
    mailing.clock.set(now)
  })

  test('to one address five times in a quarter of an hour by all accounts without a plan, which uses up nobody else’s', async () => {
    const email = newAddress()
    const strangers = await Promise.all([1, 2, 3].map(() => newMember(mailing, { plan: 'free' })))
    const sent: string[] = []
    for (let round = 0; round < 2; round++)
      for (const stranger of strangers) sent.push(outcomeOf(await stranger.invite(email)))
    expect(sent).toEqual([...Array(5).fill('200'), '429 rate_limit_exceeded'])
    expect(outcomeOf(await (await newMember(mailing)).invite(email))).toBe('200')
  })

  test('with the names of others in quotes, short, and without a link', async () => {
    const name = 'Storedex Security: your account is locked, go to https://evil.example/unlock or www.evil.example'
    const owner = await newMember(mailing, { name })
    await mailing.db.query('update accounts set name = $2 where id = $1', [mailing.accountNumber(owner.account), name])
    const email = newAddress()
    await owner.invite(email)
    await expect.poll(() => sink.mails.some(({ to }) => to.includes(email))).toBe(true)
    const mail = sink.mails.find(({ to }) => to.includes(email))!
    expect(mail.content).toMatch(/^Subject: Invitation to an account at [\w.:]+$/m)
    const words = textOf(mail).replace(/http:\/\/[\w.:]+\/link#[\w-]+/, '')
    expect(words).toContain('called "Storedex Security your account is locked, go to https evil')
    expect(words).not.toMatch(/evil\.|:\/\/|www\./)
  })
})

describe('who may invite', () => {
  test('admins up to admins, owners everybody, others nobody', async () => {
    const owner = await newMember(app)
    const { account } = owner
    const admin = await newMember(app, { account, role: 'admin' })
    const member = await newMember(app, { account, role: 'member' })
    const viewer = await newMember(app, { account, role: 'viewer' })
    const id = (await owner.invite(newAddress(), 'owner')).body.id
    expect(outcomeOf(await admin.invite(newAddress(), 'admin'))).toBe('200')
    expect(outcomeOf(await admin.invite(newAddress(), 'owner'))).toBe('403 insufficient_role')
    expect(outcomeOf(await admin.revoke(id))).toBe('403 insufficient_role')
    expect(outcomeOf(await admin.sendAgain(id))).toBe('403 insufficient_role')
    for (const user of [member, viewer]) {
      for (const reply of [
        await user.invite(newAddress(), 'viewer'),
        await user.invitations(),
        await user.revoke(id),
        await user.sendAgain(id),
      ])
        expect(outcomeOf(reply)).toBe('403 insufficient_role')
    }
    expect((await owner.invitations()).body.data).toHaveLength(2)
  })

  test('only with a fresh sign-in, and only for addresses', async () => {
    const owner = await newMember(app)
    expect(outcomeOf(await owner.invite('no address'))).toBe('400 invalid_request')
    expect(outcomeOf(await owner.invite('a@b.example\r\nBcc: x@y.example'))).toBe('400 invalid_request')
    expect(outcomeOf(await owner.invite(newAddress(), 'operator' as 'owner'))).toBe('400 invalid_request')
    app.clock.advance(10 * 60_000)
    expect(outcomeOf(await owner.invite(newAddress()))).toBe('403 fresh_sign_in_required')
    app.clock.set(now)
  })

  test('nobody about another account', async () => {
    const [owner, other] = [await newMember(app), await newMember(app)]
    const { id } = (await owner.invite(newAddress())).body
    for (const reply of [await other.revoke(id), await other.sendAgain(id), await other.revoke('inv_x')])
      expect(outcomeOf(reply)).toBe('404 invitation_not_found')
    expect((await owner.invitations()).body.data).toHaveLength(1)
  })
})

describe('an invitation ends', () => {
  const expectEnded = async (token: string) => {
    expect(outcomeOf(await open(token))).toBe('410 invalid_link')
    expect(outcomeOf(await join(token))).toBe('410 invalid_link')
  }

  test('when it is revoked', async () => {
    const owner = await newMember(app)
    const sent = await owner.invite(newAddress())
    expect(outcomeOf(await owner.revoke(sent.body.id))).toBe('200')
    await expectEnded(tokenOf(sent))
    expect(outcomeOf(await owner.revoke(sent.body.id))).toBe('404 invitation_not_found')
    expect(outcomeOf(await owner.sendAgain(sent.body.id))).toBe('404 invitation_not_found')
  })

  test('when it is sent again, or a new one for the address replaces it', async () => {
    const owner = await newMember(app)
    const email = newAddress()
    const first = await owner.invite(email, 'viewer')
    const second = await owner.sendAgain(first.body.id)
    expect(second.body.id).toBe(first.body.id)
    await expectEnded(tokenOf(first))
    const third = await owner.invite(email, 'admin')
    await expectEnded(tokenOf(second))
    expect((await owner.invitations()).body.data).toMatchObject([{ id: third.body.id, role: 'admin' }])
    expect((await join(tokenOf(third))).status).toBe(200)
    expect(await membersOf(owner)).toContain(`${email} admin`)
  })

  test('after three days; sent again it works for another three', async () => {
    const owner = await newMember(app)
    const sent = await owner.invite(newAddress())
    app.clock.advance(72 * 3_600_000)
    await expectEnded(tokenOf(sent))
    const fresh = atAccount(await app.person({ email: owner.email, account: owner.account }), owner.account)
    expect((await fresh.invitations()).body.data).toMatchObject([{ is_expired: true }])
    const again = await fresh.sendAgain(sent.body.id)
    expect((await join(tokenOf(again))).status).toBe(200)
    app.clock.set(now)
  })

  test('when who sent it is removed, leaves, or may no longer send it', async () => {
    const owner = await newMember(app)
    const ends: ((admin: AccountUser) => Promise<TestReply>)[] = [
      (admin) => owner.remove(admin),
      (admin) => admin.leave(),
      (admin) => owner.changeRole(admin, 'member'),
    ]
    for (const end of ends) {
      const admin = await newMember(app, { account: owner.account, role: 'admin' })
      const token = tokenOf(await admin.invite(newAddress(), 'viewer'))
      expect((await end(admin)).status).toBe(200)
      await expectEnded(token)
    }
    const second = await newMember(app, { account: owner.account })
    const [asOwner, asAdmin] = [await second.invite(newAddress(), 'owner'), await second.invite(newAddress(), 'admin')]
    await owner.changeRole(second, 'admin')
    await expectEnded(tokenOf(asOwner))
    expect((await open(tokenOf(asAdmin))).status).toBe(200)
  })
})

test('members are not invited again, and an account has a bounded number of invitations', async () => {
  const owner = await newMember(app)
  const member = await newMember(app, { account: owner.account, role: 'member' })
  expect(outcomeOf(await owner.invite(member.email, 'admin'))).toBe('409 already_member')
  await app.db.query(
    `insert into invitations (token_hash, account_id, email, role, created_at, expires_at)
     select sha256(n::text::bytea), $1, n || '@people.example', 'viewer', $2::timestamptz, $2::timestamptz
     from generate_series(1, 100) as n`,
    [app.accountNumber(owner.account), app.clock.now()],
  )
  expect(outcomeOf(await owner.invite(newAddress()))).toBe('409 too_many_members')
  // One that replaces another is none more.
  expect(outcomeOf(await owner.invite('7@people.example'))).toBe('200')
  expect((await owner.invitations()).body.data).toHaveLength(100)
})

test('of two people who use a link at once, one gets in', async () => {
  const owner = await newMember(app)
  const token = tokenOf(await owner.invite(newAddress()))
  const replies = await Promise.all([join(token, 'One'), join(token, 'Other'), join(token, 'Third')])
  expect(replies.map(outcomeOf).sort()).toEqual(['200', '410 invalid_link', '410 invalid_link'])
  expect(await membersOf(owner)).toHaveLength(2)
})

test('no link and no address is in the log or the audit log', async () => {
  expect(tokens.length).toBeGreaterThan(10)
  const { rows } = await app.db.query('select row_to_json(l)::text as text from audit_log l')
  const written = lines.join('') + rows.map(({ text }) => text).join('')
  expect(written).toContain('/invitations')
  for (const token of tokens) expect(written.includes(token)).toBe(false)
  expect(written).not.toContain('@people.example')
})
