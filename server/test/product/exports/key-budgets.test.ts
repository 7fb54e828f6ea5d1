import { beforeAll, expect, test } from 'vitest'
import { budgetOf, findDifferences, keyWithBudget, setBudget } from '../../customers/auth/support/key-budgets.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { TableGate } from '../../support/gate.ts'
import { addCrowd } from '../contacts/support/reveals.ts'
import { createExport, endOf, startRunner, startRunnerInterrupted } from './support.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  // Each test starts a runner of its own.
  await app.exportRunner.close()
  await addCrowd(app, 120)
})

const stores = { kind: 'stores', filters: {}, max_rows: 100 }
const contacts = { kind: 'contacts', max_rows: 100, max_credits: 100 }

/** Three rows at a time. */
const chunkSize = 3

test('an export of a key ends where the key’s budget ends, with a file of what was paid', async () => {
  const key = await keyWithBudget(app, { store_exports: 5 })
  startRunner(app, { chunkSize })
  const { id } = await createExport(key, stores)
  expect(await endOf(key, id)).toMatchObject({ stopped_by: 'exports', cost: { store_exports: 5 }, file: { rows: 5 } })
  expect((await budgetOf(key)).store_exports).toEqual({ limit: 5, used: 5, remaining: 0 })

  const reader = await keyWithBudget(app, { contact_credits: 7 })
  const people = await createExport(reader, contacts)
  expect(await endOf(reader, people.id)).toMatchObject({ stopped_by: 'credits', cost: { contact_credits: 7 } })
  expect((await budgetOf(reader)).contact_credits).toEqual({ limit: 7, used: 7, remaining: 0 })
  expect(await findDifferences(app)).toEqual([])
})

test('what an export has reserved is taken from the key’s budget, and is given back when it ends', async () => {
  const key = await keyWithBudget(app, { store_exports: 20 })
  const { id } = await createExport(key, stores)
  const gate = await TableGate.close(app.deps.databaseUrl, 'store_exports')
  const { runner } = startRunner(app, { chunkSize })
  const reserved = { limit: 20, used: 0, remaining: 8 }
  await expect.poll(async () => (await budgetOf(key)).store_exports, { timeout: 60_000 }).toEqual(reserved)
  expect(await findDifferences(app)).toEqual([])
  await gate.open()
  expect(await endOf(key, id)).toMatchObject({ stopped_by: 'end', cost: { store_exports: 12 } })
  expect((await budgetOf(key)).store_exports).toEqual({ limit: 20, used: 12, remaining: 8 })

  // It would take the next export before the one that is to wait.
  await runner.close()
  const canceled = await keyWithBudget(app, { contact_credits: 50 })
  const people = await createExport(canceled, contacts)
  await startRunnerInterrupted(app, 2, () => canceled.post(`/exports/${people.id}/cancel`, undefined), chunkSize)
  const end = await endOf(canceled, people.id)
  const { used, remaining } = (await budgetOf(canceled)).contact_credits
  expect([used, remaining]).toEqual([end.cost.contact_credits, 50 - end.cost.contact_credits])
  expect(await findDifferences(app)).toEqual([])
})

test('a budget that is lowered meanwhile takes back nothing that was promised, and gives nothing more', async () => {
  const key = await keyWithBudget(app, { contact_credits: 30 })
  const { id } = await createExport(key, contacts)
  await startRunnerInterrupted(app, 3, () => setBudget(app, key, { contact_credits: 1 }), chunkSize)
  expect(await endOf(key, id)).toMatchObject({ stopped_by: 'credits', cost: { contact_credits: 30 } })
  expect((await budgetOf(key)).contact_credits).toEqual({ limit: 1, used: 30, remaining: 0 })
  expect(await findDifferences(app)).toEqual([])
})

test('a budget that is raised meanwhile is used as far as the export needs', async () => {
  const key = await keyWithBudget(app, { contact_credits: 4 })
  const { id } = await createExport(key, contacts)
  await startRunnerInterrupted(app, 1, () => setBudget(app, key, { contact_credits: 9 }), chunkSize)
  const ended = await endOf(key, id)
  expect(ended.stopped_by).toBe('credits')
  expect([4, 9]).toContain(ended.cost.contact_credits)
  expect((await budgetOf(key)).contact_credits.used).toBe(ended.cost.contact_credits)
})
