import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readPlanFile } from '../../../src/customers/accounts/plan-file.ts'
import type { PlanFile } from '../../../src/customers/accounts/plans.ts'

const shipped = join(import.meta.dirname, '../../../../plans.json')

async function readChanged(change: (plans: PlanFile & Record<string, unknown>) => void): Promise<PlanFile> {
  const folder = await mkdtemp(join(tmpdir(), 'storedex-plans-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const plans = JSON.parse(await readFile(shipped, 'utf8'))
  change(plans)
  const path = join(folder, 'plans.json')
  await writeFile(path, JSON.stringify(plans))
  return readPlanFile(path)
}

test("the project's plan file is valid", async () => {
  expect((await readPlanFile(shipped)).plans.pro.limits.contact_credits).toBe(1000)
})

test('a plan file from before there were limits of files still serves, with usual figures', async () => {
  const { plans } = await readChanged((file) => {
    for (const { limits } of Object.values(file.plans))
      for (const name of ['ready_exports', 'ready_export_bytes'] as const) Reflect.deleteProperty(limits, name)
    file.plans.business.limits.ready_exports = 7
  })
  expect(plans.pro.limits).toMatchObject({ ready_exports: 50, ready_export_bytes: 500_000_000 })
  expect(plans.business.limits).toMatchObject({ ready_exports: 7, ready_export_bytes: 500_000_000 })
})

test.each<[string, (plans: PlanFile & Record<string, unknown>) => void]>([
  ['plans/pro/limits/search_rows must be <= 2147483647', (file) => (file.plans.pro.limits.search_rows = 3_000_000_000)],
  ['plans/pro/limits/search_rows must be >= 0', (file) => (file.plans.pro.limits.search_rows = -1)],
  ['plans/pro/limits/tea is not a setting', (file) => Object.assign(file.plans.pro.limits, { tea: 1 })],
  ['search/max_rows_walked must be >= 1', (file) => (file.search.max_rows_walked = 0)],
  ['trial/contact_credits must be integer', (file) => Object.assign(file.trial, { contact_credits: '250' })],
])('a plan file is rejected with the path of its fault: %s', async (sentence, change) => {
  await expect(readChanged(change)).rejects.toThrow(sentence)
})

test('an invalid or missing plan file is named in the error', async () => {
  await expect(readPlanFile('/nowhere/plans.json')).rejects.toThrow('/nowhere/plans.json cannot be read')
  await expect(readPlanFile(import.meta.filename)).rejects.toThrow('is not JSON')
})
