import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { makesAllRuns } from '../../../../bin/tests/proof-runs.ts'
import { prepareCatalogueAndKeys } from '../../../src/program/serving/demo-keys.ts'
import { createTestProvider } from '../../support/billing-provider.ts'
import { atEnd, removeFolder } from '../../support/cleanup.ts'
import { readExamples } from '../../support/records/examples.ts'
import { describeInBrowser, startBrowserApp } from './support/browser-app.ts'
import { takeProblems } from './support/console-page.ts'

interface Described {
  operationId: string
  responses: object
}

/** Sends an operation's example with the reference's own client; types the key if it is given. Returns the reply. */
async function testRequest(page: Page, method: string, path: string, keys: { typed?: string; expected: string }) {
  const escaped = path.replaceAll(/[{}/]/g, (character) => `\\${character}`)
  const open = page.getByRole('button', { name: new RegExp(`^Test Request\\s*\\(${method} ${escaped}\\)`) })
  // A click of the mouse waits for the whole long page.
  await open.dispatchEvent('click')
  const token = page.getByRole('dialog').getByPlaceholder('Token')
  if (keys.typed) await token.fill(keys.typed)
  await expect.poll(() => token.inputValue(), { timeout: 60_000 }).toBe(keys.expected)
  const target = new RegExp(`/api/v1${path.replaceAll(/\{\w+\}/g, '[^/{%]+')}(\\?.*)?$`)
  const isReply = (url: string, sent: string) => sent === method.toUpperCase() && target.test(url)
  const [reply] = await Promise.all([
    page.waitForResponse((response) => isReply(response.url(), response.request().method())),
    page.getByRole('button', { name: `Send ${method} request` }).dispatchEvent('click'),
  ])
  await page.getByRole('button', { name: 'Close Client' }).first().dispatchEvent('click')
  await token.waitFor({ state: 'detached' })
  return reply
}

/** One of each kind: without input, with a path, a body, headers, a file. Each takes seconds: STOREDEX_PROOF_SHARE=1 sends all. */
const kinds = ['getUsage', 'getStore', 'searchStores', 'revealContacts', 'createExport', 'getExportFile', 'deleteList']

describeInBrowser('the reference', () => {
  test('sends the examples of operations as shown, with a key that is typed once', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'storedex-requests-'))
    atEnd(() => removeFolder(dataDir))
    const app = await startBrowserApp({
      billing: createTestProvider(),
      environment: { DEMO: '1', DATA_DIR: dataDir },
    })
    const keys = (await prepareCatalogueAndKeys({ ...app.operator, billing: app.deps.billing }))!
    await app.searchFollows()
    const document = (await app.anon.get('/openapi.json')).body
    const exported = readExamples(document).find(({ operationId }) => operationId === 'getExport')!
    app.exportRunner.wake()
    const readStatus = async () => JSON.parse(await (await exported.send(app.url, keys.live)).text()).status
    await expect.poll(readStatus).toBe('ready')

    const page = await app.open('/docs', {
      context: { viewport: { width: 1_280, height: 900 } },
      tolerates: () => true,
    })
    page.setDefaultTimeout(60_000)
    // Each group shows its first operation only.
    const more = page.getByRole('button', { name: /^Show all .* endpoints$/ })
    await more.first().waitFor()
    while ((await more.count()) > 0) await more.first().click()
    const statuses: Record<string, number> = {}
    const documented: Record<string, number> = {}
    for (const [path, methods] of Object.entries<Record<string, Described>>(document.paths))
      for (const [method, { operationId, responses }] of Object.entries(methods)) {
        if (!makesAllRuns && !kinds.includes(operationId)) continue
        const isFirst = Object.keys(statuses).length === 0
        const typed = isFirst ? { typed: keys.live } : {}
        const reply = await testRequest(page, method, path, { ...typed, expected: keys.live })
        statuses[`${method} ${path}`] = reply.status()
        // A reader copies the sample: the one that spends is safe to repeat.
        if (operationId === 'revealContacts')
          expect(reply.request().headers()).toMatchObject({ 'idempotency-key': expect.any(String) })
        documented[`${method} ${path}`] = Number(Object.keys(responses).find((status) => status.startsWith('2')))
      }
    expect(statuses).toEqual(documented)
    // Scalar tries whether it may use eval. It may not, and does without. A file that was not read to its end is canceled.
    const forgiven = /script-src blocked eval .*scalar\.js|The request has been cancelled/
    expect(takeProblems(page).filter((problem) => !forgiven.test(problem))).toEqual([])
  }, 900_000)
})
