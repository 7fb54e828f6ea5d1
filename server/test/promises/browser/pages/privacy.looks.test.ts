import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { tryImportContacts } from '../../../catalogue/erasure/support/people.ts'
import { type SmtpSink, startSmtpSink, tokenIn } from '../../../catalogue/privacy/support/smtp-sink.ts'
import { type BrowserApp, describeInBrowser, startBrowserApp } from '../support/browser-app.ts'
import { expectGoodLooks } from '../support/looks.ts'

const domain = 'aurora-candles.example'
const mara = {
  store_domain: domain,
  external_id: 'crm-1',
  first_name: 'Mara',
  last_name: 'Lindqvist <b>مارا</b>',
  title: 'Head of Marketing',
  emails: [
    { email: 'mara@aurora-candles.example', status: 'verified', type: 'work' },
    { email: 'mara.old@aurora-candles.example', status: 'bounced' },
  ],
  phones: [{ phone: '+49 30 5550123', type: 'office' }],
}

describeInBrowser('the privacy page', () => {
  let sink: SmtpSink
  let app: BrowserApp
  beforeAll(async () => {
    sink = await startSmtpSink()
    app = await startBrowserApp({ environment: { SMTP_URL: sink.url, MAIL_FROM: 'robot@storedex.example' } })
    await app.importStores([{ domain, name: 'Aurora Candles' }])
    await app.importContacts([mara])
  })

  /** Asks by keyboard alone, and returns the token of the mailed link. */
  async function askFor(page: Page, email: string): Promise<string> {
    const mails = sink.mails.length
    await page.getByLabel('Email').focus()
    await page.keyboard.type(email)
    await page.keyboard.press('Enter')
    await page.getByText('a link is on its way').waitFor()
    await expect.poll(() => sink.mails.length).toBe(mails + 1)
    return tokenIn(sink.mails.at(-1)!)
  }

  test('leads from an address to what is held, to a file, and to its end', async () => {
    const page = await app.open('/privacy', { tolerates: (status) => status === 410 })
    await page.getByRole('heading', { name: 'Privacy', level: 1 }).waitFor()
    await page.getByLabel('Email').waitFor()
    await expectGoodLooks(page, 'privacy-ask')
    const token = await askFor(page, 'mara@aurora-candles.example')
    await expectGoodLooks(page, 'privacy-asked')

    // In the same tab, as from a mail that is read in the browser.
    await page.goto(`/privacy#${token}`)
    await page.getByRole('heading', { name: 'Your data', level: 1 }).waitFor()
    expect(page.url()).toBe(`${app.url}/privacy`)
    const record = page.getByRole('article', { name: 'Record at Aurora Candles' })
    for (const text of ['Mara Lindqvist <b>مارا</b>', 'mara.old@aurora-candles.example', 'bounced', '+49 30 5550123'])
      await record.getByText(text, { exact: text.startsWith('mara') }).waitFor()
    await expectGoodLooks(page, 'privacy-held')

    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download as a file' }).click()
    const file = JSON.parse(await readFile(await (await download).path(), 'utf8'))
    expect(file.contacts[0].emails).toHaveLength(2)

    await page.getByRole('button', { name: 'Erase my data' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Erase your data?' })
    await dialog.getByText('This cannot be undone.').waitFor()
    await dialog.getByText('Imports cannot bring the data back').waitFor()
    await expectGoodLooks(page, 'privacy-question')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await record.waitFor()
    await page.getByRole('button', { name: 'Erase my data' }).click()
    await dialog.getByRole('button', { name: 'Erase my data' }).click()
    await page.getByRole('heading', { name: 'Your data is erased' }).waitFor()
    await expectGoodLooks(page, 'privacy-erased')
    expect(await tryImportContacts(app, [mara])).toMatchObject({ inserted: 0, rejected: 1 })

    await page.goto('about:blank')
    await page.goto(`/privacy#${token}`)
    await page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
    await expectGoodLooks(page, 'privacy-dead-link')
    await page.getByRole('button', { name: 'Ask for another link' }).click()
    await page.getByLabel('Email').waitFor()
  })

  test('tells somebody who is not on file so, and keeps them away', async () => {
    const page = await app.open('/privacy')
    const token = await askFor(page, 'nobody@aurora-candles.example')
    await page.goto(`/privacy#${token}`)
    await page.getByRole('heading', { name: 'Nothing is held about you' }).waitFor()
    await expectGoodLooks(page, 'privacy-nothing')
    await page.getByRole('button', { name: 'Never list this address' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Never list this address' }).click()
    await page.getByRole('heading', { name: 'Done' }).waitFor()
  })

  test('keeps what was typed when the server refuses it, and says why', async () => {
    const page = await app.open('/privacy', { tolerates: (status) => status === 400 })
    const email = page.getByLabel('Email')
    await email.fill('mara@aurora')
    await page.getByRole('button', { name: 'Send me a link' }).click()
    await page.getByText('email must be an email address.').waitFor()
    expect(await email.inputValue()).toBe('mara@aurora')
    await expectGoodLooks(page, 'privacy-refused')
  })
})

describeInBrowser('the privacy page without mail', () => {
  test('names whom to write to', async () => {
    const app = await startBrowserApp({ environment: { PRIVACY_CONTACT: 'privacy@storedex.example' } })
    const page = await app.open('/privacy')
    const link = page.getByRole('link', { name: 'privacy@storedex.example' })
    expect(await link.getAttribute('href')).toBe('mailto:privacy@storedex.example')
    expect(await page.getByRole('textbox').count()).toBe(0)
    await expectGoodLooks(page, 'privacy-contact')
  })
})
