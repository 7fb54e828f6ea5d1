import { beforeAll, expect, test } from 'vitest'
import { type SmtpSink, startSmtpSink, tokenIn } from '../../../catalogue/privacy/support/smtp-sink.ts'
import { type BrowserApp, describeInBrowser, startBrowserApp } from '../support/browser-app.ts'
import { expectGoodLooks } from '../support/looks.ts'

const password = 'four plain words of mine'

describeInBrowser('signing in', () => {
  let sink: SmtpSink
  let app: BrowserApp
  beforeAll(async () => {
    sink = await startSmtpSink()
    app = await startBrowserApp({
      environment: { SMTP_URL: sink.url, MAIL_FROM: 'robot@storedex.example', SIGNUP: 'open' },
    })
  })

  const newestToken = async (mails: number) => {
    // Beside them are notices of new passwords.
    const withLinks = () => sink.mails.filter(({ content }) => content.includes('/link#'))
    await expect.poll(() => withLinks().length).toBe(mails)
    return tokenIn(withLinks().at(-1)!)
  }

  test('a stranger creates an account by mail, signs out, and sets a new password by mail', async () => {
    const page = await app.open('/sign-in', {
      tolerates: (status, path) => status === 401 || path.endsWith('/sign-in'),
    })
    await page.getByRole('link', { name: 'Create an account' }).click()
    await page.getByRole('heading', { name: 'Create an account', level: 1 }).waitFor()
    await page.getByLabel('Email').fill('jonas@willow-teas.example')
    await page.getByLabel('Your name').fill('Jonas Weber')
    await page.getByLabel('Account name').fill('Willow Teas')
    await expectGoodLooks(page, 'sign-up')
    await page.getByRole('button', { name: 'Send link' }).click()
    await page.getByText('is on its way to this address').waitFor()

    await page.goto(`/link#${await newestToken(1)}`)
    await page.getByLabel('New password').fill(password)
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByRole('heading', { name: 'Stores', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Account menu' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()

    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await page.getByLabel('Email').fill('jonas@willow-teas.example')
    await page.getByRole('button', { name: 'Send link' }).click()
    await page.getByText('If this address belongs to somebody here').waitFor()
    await page.goto(`/link#${await newestToken(2)}`)
    await page.getByLabel('New password').fill(`another ${password}`)
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByRole('heading', { name: 'Stores', level: 1 }).waitFor()
  })

  test('says the same of a wrong password and of an unknown address', async () => {
    const page = await app.open('/sign-in', { tolerates: (status) => status === 401 })
    for (const email of ['jonas@willow-teas.example', 'nobody@willow-teas.example']) {
      await page.getByLabel('Email').fill(email)
      await page.getByLabel('Password').fill('not the right one at all')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('alert').filter({ hasText: /\S/ }).waitFor()
      expect(await page.getByRole('alert').textContent()).toMatch(/^(?!.*unknown).*(password|email)/i)
    }
  })
})
