import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { atAccount, newMember } from '../../../customers/users/support/account-user.ts'
import { givePassword, goodPassword } from '../../../customers/users/support/users.ts'
import { type BrowserApp, describeInBrowser, startBrowserApp } from '../support/browser-app.ts'
import { takeProblems } from '../support/console-page.ts'
import { expectGoodLooks } from '../support/looks.ts'

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })

describeInBrowser('the account pages', () => {
  let app: BrowserApp
  beforeAll(async () => {
    app = await startBrowserApp()
  })

  /** An account with an owner, an admin and a viewer. */
  const newTeam = async () => {
    const owner = await newMember(app, { name: 'Mara Owner' })
    const { account } = owner
    const admin = await newMember(app, { account, role: 'admin', name: 'Jonas Berg' })
    const viewer = await newMember(app, { account, role: 'viewer', name: 'Wiebke Öz' })
    return { account, owner, admin, viewer }
  }

  test('invite somebody new, who joins by the link', async () => {
    const { owner } = await newTeam()
    const page = await app.open('/account/members', { as: owner })
    await page.getByRole('row', { name: /Jonas Berg/ }).waitFor()
    await button(page, 'Invite').click()
    const dialog = page.getByRole('dialog', { name: 'Invite somebody' })
    await page.getByLabel('Email').fill('nora@people.example')
    await page.getByText('Also reveals people and takes stores.').click()
    await expectGoodLooks(page, 'account-invite')
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
    const link = await page.getByLabel('Invitation link').inputValue()
    await expectGoodLooks(page, 'account-invitation-link')
    await button(page, 'Done').click()
    await page.getByRole('row', { name: /nora@people.example/ }).waitFor()
    await expectGoodLooks(page, 'account-members')
    // The link is gone from the page.
    expect(await page.content()).not.toContain(link.split('#')[1])

    const guest = await app.open(new URL(link.replace(/^https?:\/\/[^/]+/, app.url)).href)
    await guest.getByRole('heading', { name: 'Join Test account' }).waitFor()
    await guest.getByLabel('Name').fill('Nora New')
    await guest.getByLabel('New password').fill(goodPassword)
    await button(guest, 'Set password').click()
    await guest.getByRole('heading', { name: 'Stores', level: 1 }).waitFor()
    await page.reload()
    await page.getByRole('row', { name: /Nora New/ }).waitFor()
    expect(await page.getByRole('table', { name: 'Invitations' }).count()).toBe(0)
  })

  test('let somebody who is known join after signing in', async () => {
    const { owner } = await newTeam()
    const known = await app.person({ name: 'Kim Known' })
    await givePassword(app, known.email)
    const { link } = (await owner.invite(known.email, 'viewer')).body
    const page = await app.open(link.replace(/^https?:\/\/[^/]+/, app.url))
    await button(page, 'Sign in to join').click()
    await page.getByText(`Sign in as ${known.email} to join.`).waitFor()
    await expectGoodLooks(page, 'link-join')
    expect(await page.getByLabel('Email').inputValue()).toBe(known.email)
    await page.getByLabel('Password').fill(goodPassword)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Stores', level: 1 }).waitFor()
    expect((await owner.members()).body.data.map(({ name }: { name: string }) => name)).toContain('Kim Known')
  })

  test('change roles and remove people, and the last owner stays', async () => {
    const { owner, admin, viewer } = await newTeam()
    const page = await app.open('/account/members', {
      as: owner,
      tolerates: (status, path) => status === 409 && path.includes('/members/'),
    })
    await button(page, /Role of Wiebke Öz/).click()
    await page.getByRole('option', { name: /^Admin/ }).click()
    await page.getByText('Wiebke Öz is now admin.').waitFor()
    expect((await viewer.invitations()).status).toBe(200)
    await button(page, 'Remove Jonas Berg').click()
    await expectGoodLooks(page, 'account-remove')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('Jonas Berg is no member any more.').waitFor()
    expect((await admin.members()).status).toBe(404)
    await button(page, /Role of Mara Owner/).click()
    await page.getByRole('option', { name: /^Viewer/ }).click()
    await page.getByText('An account needs an owner').waitFor()
    await expect.poll(() => button(page, /Role of Mara Owner/).textContent()).toContain('Owner')
  })

  test('ask for the password when the sign-in is old, and then go on', async () => {
    const { owner } = await newTeam()
    await givePassword(app, owner.email)
    const again = await app.person({ email: owner.email, account: owner.account })
    const page = await app.open('/account/members', {
      as: again,
      tolerates: (status, path) => status === 403 && path.endsWith('/invitations'),
    })
    await button(page, 'Invite').click()
    await page.getByLabel('Email').fill('late@people.example')
    app.clock.advance(11 * 60_000)
    await page.getByRole('dialog').getByRole('button', { name: 'Invite', exact: true }).click()
    const confirm = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await confirm.getByLabel('Password').fill(goodPassword)
    await confirm.getByRole('button', { name: 'Confirm' }).click()
    await page.getByLabel('Invitation link').waitFor()
    app.clock.advance(-11 * 60_000)
  })

  test('show a viewer the members and nothing to press', async () => {
    const { viewer } = await newTeam()
    const page = await app.open('/account/members', { as: viewer })
    await page.getByRole('row', { name: /Mara Owner/ }).waitFor()
    expect(await button(page, /^Role of|^Remove/).count()).toBe(0)
    expect(await button(page, 'Invite').getAttribute('aria-disabled')).toBe('true')
    expect(await page.getByRole('link', { name: 'Audit log' }).count()).toBe(0)
    await expectGoodLooks(page, 'account-members-viewer')
  })

  test('change name and password, which ends the other sessions', async () => {
    const user = await app.person({ name: 'Mara Vogt' })
    const other = await app.person({ email: user.email, account: null })
    const page = await app.open('/account/profile', {
      as: user,
      tolerates: (status, path) => status === 400 && path.endsWith('/profile/password'),
    })
    await page.getByLabel('Name', { exact: true }).fill('Mara Öz')
    await button(page, 'Save').click()
    await page.getByText('Your name was changed.').waitFor()
    await page.getByLabel('New password').fill('password1234')
    await button(page, 'Change password').click()
    await page
      .getByText(/common and easily guessed|needs 12|common/)
      .first()
      .waitFor()
    await expectGoodLooks(page, 'account-profile')
    await page.getByLabel('New password').fill(goodPassword)
    await button(page, 'Change password').click()
    await page.getByText('Your password was changed.').waitFor()
    expect((await other.get('/session')).status).toBe(401)
    expect((await user.get('/session')).body.person.name).toBe('Mara Öz')
  })

  test('add a passkey, which then signs in, and remove it', async () => {
    const user = await app.person()
    // Browsers offer passkeys to names, not to addresses.
    const origin = app.url.replace('127.0.0.1', 'localhost')
    const page = await app.open('about:blank')
    const [name = '', value = ''] = user.cookie.split('=')
    await page.context().addCookies([{ name, value, url: origin, httpOnly: true, sameSite: 'Lax' }])
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await page.goto(`${origin}/account/profile`)
    await page.getByLabel('Name of a new passkey').fill('Work laptop')
    await button(page, 'Add passkey').click()
    await page.getByText('The passkey was added.').waitFor()
    await page.getByRole('listitem').filter({ hasText: 'Work laptop' }).waitFor()
    await button(page, 'Account menu').click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await button(page, /passkey/i).click()
    await page.getByRole('heading', { name: 'Stores', level: 1 }).waitFor()
    await page.goto(`${origin}/account/profile`)
    await button(page, 'Remove Work laptop').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('The passkey was removed.').waitFor()
    const others = takeProblems(page).filter((text) => !text.startsWith(`request to another host: ${origin}`))
    expect(others.filter((text) => !text.startsWith('401 from /console/api'))).toEqual([])
  })

  test('list sessions, end one, and end all others', async () => {
    const user = await app.person()
    const [one, two] = [
      await app.person({ email: user.email, account: null }),
      await app.person({ email: user.email, account: null }),
    ]
    const page = await app.open('/account/sessions', { as: user })
    await page.getByText('This one').waitFor()
    await expectGoodLooks(page, 'account-sessions')
    await button(page, /^End session of/)
      .first()
      .click()
    await page.getByText(/was ended\.$/).waitFor()
    await expect
      .poll(
        async () =>
          [await one.get('/session'), await two.get('/session')].filter(({ status }) => status === 401).length,
      )
      .toBe(1)
    await button(page, 'End all others').click()
    await page.getByRole('dialog').getByRole('button', { name: 'End all others' }).click()
    await page.getByText('All other sessions were ended.').waitFor()
    for (const each of [one, two]) expect((await each.get('/session')).status).toBe(401)
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
  })

  test('tell in words who did what, filter it, and keep that in the address', async () => {
    const { owner, admin, viewer, account } = await newTeam()
    await owner.changeRole(viewer, 'member')
    await admin.invite('nora@people.example', 'viewer')
    await owner.patch(`/accounts/${account}`, { name: 'Aurora' })
    const page = await app.open('/account/audit', { as: owner })
    await page.getByText('Mara Owner made Wiebke Öz member, who was viewer').waitFor()
    await page.getByText('Jonas Berg invited somebody as viewer').waitFor()
    await page.getByText('Mara Owner renamed the account').waitFor()
    await expectGoodLooks(page, 'account-audit')
    await button(page, /Who/).click()
    await page.getByRole('option', { name: /Jonas Berg/ }).click()
    await expect.poll(() => new URL(page.url()).search).toBe(`?person=${admin.id}`)
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await page.reload()
    await page.getByText('Jonas Berg invited somebody as viewer').waitFor()
    expect(await page.getByRole('row').count()).toBe(2)
  })

  test('close an account after its name was typed, and say what to do while that is not possible', async () => {
    const owner = await newMember(app, { name: 'Mara Owner' })
    const page = await app.open('/account/settings', { as: owner })
    await expectGoodLooks(page, 'account-settings')
    await button(page, 'Leave account').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Leave account' }).click()
    await page.getByText('An account needs an owner').waitFor()
    expect(takeProblems(page)).toEqual([expect.stringContaining('409 from')])
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await button(page, 'Close account').click()
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Close account' })
    expect(await confirm.isDisabled()).toBe(true)
    await page.getByLabel('Type the name of the account').fill('Test account')
    await expectGoodLooks(page, 'account-close')
    await confirm.click()
    await page.getByText('Test account was closed.').waitFor()
    expect((await owner.get('/session')).body.accounts[0].api_access).toBe(false)
    await page.goto('/billing')
    await page.getByText('This account is closed.').waitFor()
    await expectGoodLooks(page, 'billing-closed')
    expect((await atAccount(owner, owner.account).leave()).status).toBe(200)
  })
})
