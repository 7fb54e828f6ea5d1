import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { ExportRunner, type ExportRunnerOptions } from '../../src/exports/run/runner.ts'
import { budgetOf, findDifferences, keyWithBudget, setBudget } from '../auth/support/key-budgets.ts'
import { addCrowd } from '../contacts/support/reveals.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { createExport, endOf } from './support.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  // Each test starts a runner of its own.
  await app.exportRunner.close()
  await addCrowd(app, 120)
})

const stores = { kind: 'stores', filters: {}, max_rows: 100 }
const contacts = { kind: 'contacts', max_rows: 100, max_credits: 100 }

/** A runner that writes three rows at a time, and calls `act` before a step. */
function startRunner({ step = -1, act = () => {} }: { step?: number; act?: () => unknown } = {}): void {
  let calls = 0
  const options: Partial<ExportRunnerOptions> = {
    requestsServed: () => {
      if (calls++ === step * 2) act()
      return 0
    },
  }
  const runner = new ExportRunner({
    ...app.deps,
    ...{ db: app.deps.db.lane(`runner ${Math.random()}`), deliverEmails: app.deps.config.deliverEmails },
    ...{ requestsServed: () => 0, chunkSize: 3, timings: { lookMs: 10, renewMs: 50, leaseMs: 1_000 } },
    ...options,
  })
  onTestFinished(() => runner.close())
}

/** Lets no store be exported until it is released. */
async function holdStoreExports(): Promise<() => Promise<void>> {
  const client = await app.db.connect()
  await client.query('begin')
  await client.query('lock table store_exports in share mode')
  return async () => {
    await client.query('rollback')
    client.release()
  }
}

test('an export of a key ends where the key’s budget ends, with a file of what was paid', async () => {
  const key = await keyWithBudget(app, { store_exports: 5 })
  startRunner()
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
  const release = await holdStoreExports()
  startRunner()
  const reserved = { limit: 20, used: 0, remaining: 8 }
  await expect.poll(async () => (await budgetOf(key)).store_exports, { timeout: 20_000 }).toEqual(reserved)
  expect(await findDifferences(app)).toEqual([])
  await release()
  expect(await endOf(key, id)).toMatchObject({ stopped_by: 'end', cost: { store_exports: 12 } })
  expect((await budgetOf(key)).store_exports).toEqual({ limit: 20, used: 12, remaining: 8 })

  const canceled = await keyWithBudget(app, { contact_credits: 50 })
  const people = await createExport(canceled, contacts)
  startRunner({ step: 2, act: () => canceled.post(`/exports/${people.id}/cancel`, undefined) })
  const end = await endOf(canceled, people.id)
  const { used, remaining } = (await budgetOf(canceled)).contact_credits
  expect([used, remaining]).toEqual([end.cost.contact_credits, 50 - end.cost.contact_credits])
  expect(await findDifferences(app)).toEqual([])
})

test('a budget that is lowered meanwhile takes back nothing that was promised, and gives nothing more', async () => {
  const key = await keyWithBudget(app, { contact_credits: 30 })
  const { id } = await createExport(key, contacts)
  startRunner({ step: 3, act: () => setBudget(app, key, { contact_credits: 1 }) })
  expect(await endOf(key, id)).toMatchObject({ stopped_by: 'credits', cost: { contact_credits: 30 } })
  expect((await budgetOf(key)).contact_credits).toEqual({ limit: 1, used: 30, remaining: 0 })
  expect(await findDifferences(app)).toEqual([])
})

test('a budget that is raised meanwhile is used as far as the export needs', async () => {
  const key = await keyWithBudget(app, { contact_credits: 4 })
  const { id } = await createExport(key, contacts)
  startRunner({ step: 1, act: () => setBudget(app, key, { contact_credits: 9 }) })
  const ended = await endOf(key, id)
  expect(ended.stopped_by).toBe('credits')
  expect([4, 9]).toContain(ended.cost.contact_credits)
  expect((await budgetOf(key)).contact_credits.used).toBe(ended.cost.contact_credits)
})
