// Makes the pictures of the documents from a running service with the demonstration:
// node console/screenshots.mjs 'http://127.0.0.1:8080/link#…'  (a one-time link, as `npm start` prints it)
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { chromium } from 'playwright-core'

const [link] = process.argv.slice(2)
if (!link?.includes('/link#')) {
  console.error('Give the one-time link that the service printed, in quotes.')
  process.exit(2)
}
const folder = resolve(import.meta.dirname, '../docs/images')
mkdirSync(folder, { recursive: true })

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, colorScheme: 'light' })
  await page.goto(link)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/stores')
  /** @param {string} group @param {string} value */
  const choose = async (group, value) => {
    await page
      .getByRole('group', { name: group, exact: true })
      .getByRole('checkbox', { name: value, exact: true })
      .check()
  }
  await choose('Countries', 'Germany')
  await page.getByRole('cell').first().waitFor()
  await page.waitForLoadState('networkidle')
  await page.screenshot({ path: join(folder, 'console-stores.png') })

  await page.getByRole('link', { name: 'People', exact: true }).click()
  await page.waitForURL('**/people')
  await choose('Roles', 'Marketing')
  await choose('Countries', 'Germany')
  await page.waitForLoadState('networkidle')
  await page.getByRole('button', { name: 'Select first 10' }).click()
  await page.getByRole('button', { name: 'Reveal', exact: true }).click()
  await page.getByRole('button', { name: /^Reveal \d+ people$/ }).waitFor()
  await page.waitForLoadState('networkidle')
  await page.screenshot({ path: join(folder, 'console-reveal.png') })
} finally {
  await browser.close()
}
