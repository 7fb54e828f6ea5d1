import type pg from 'pg'
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { scopes } from '../../../src/customers/auth/caller.ts'
import { findProjectDir, readConfig } from '../../../src/operations/config.ts'
import { spendCredits } from '../../customers/ledger/support/spend.ts'
import { runCommand } from '../../doors/cli/support/run-command.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { connectClient, createTestDatabase } from '../../support/database.ts'
import { openTestDeps } from '../../support/deps.ts'
import { testDataKeys } from '../../support/fixtures.ts'

// Skipped when the server does not allow creating roles.
describe.skipIf(inject('serviceRole') === null)('the ledger is append-only', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp({ now: '2025-01-10T12:00:00.000Z' })
    await app.importStores([{ domain: 'right.example', name: 'Right' }])
    const key = await app.key({ scopes })
    expect((await key.get('/stores/right.example')).status).toBe(200)
    await spendCredits(app, key, 2)
  })

  test.each([
    'update ledger set amount = amount + 1',
    'delete from ledger',
    'truncate ledger',
    'alter table ledger add column note text',
    'drop table ledger',
    'alter table ledger owner to current_user',
    'grant update on ledger to current_user',
    'insert into ledger_rollups select account_id, mode, meter, period_start, entry, 1, amount from ledger',
    'delete from ledger_archives',
    'update export_rollups set stores = 0',
    'delete from clock_readings',
    'insert into schema_migrations values (1000, $$x$$)',
    'truncate reveals',
    'set role storedex',
    'create table more (n integer)',
  ])('requests cannot: %s', async (statement) => {
    const before = await readLedger()
    const refusal = await app.deps.db.query(statement).then(
      () => 'done',
      (error: pg.DatabaseError) => error.code,
    )
    // 42501 is a missing privilege. A grant without the right to grant only warns.
    if (/^grant/.test(statement)) expect(refusal).toBe('done')
    else expect(refusal).toMatch(/^(42501|22023)$/)
    expect(await readLedger()).toEqual(before)
    await expect(app.deps.db.query('update ledger set amount = amount')).rejects.toMatchObject({ code: '42501' })
  })

  test('ledger check confirms it, and warns when one role owns everything', async () => {
    expect(JSON.parse((await runCommand(app.deps, ['ledger', 'check', '--json'])).stdout).append_only).toBe(true)
    expect((await runCommand(app.deps, ['ledger', 'check'])).stdout).toMatch(/^The ledger balances .*\n$/)
    const owned = { ...app.deps, serviceRole: null }
    expect((await runCommand(owned, ['ledger', 'check'])).stdout).toMatch(
      /^The ledger is not append-only: the role in DATABASE_URL has the right to change it\.\nThe ledger balances /,
    )
  })

  test('a start grants rights on new tables and revokes those granted by hand', async () => {
    const { url, serviceUrl } = await createTestDatabase()
    const owner = await connect(url)
    const role = new URL(serviceUrl).username
    await owner.query(`create table later (n integer); grant update, delete, truncate on ledger to ${role}`)
    await owner.query(`revoke select on stores from ${role}`)
    const deps = await open(serviceUrl, url)
    onTestFinished(() => deps.close())
    await deps.db.query('insert into later values (1)')
    await deps.db.query('select count(*) from stores')
    for (const statement of ['update ledger set amount = 1', 'delete from ledger', 'truncate ledger'])
      await expect(deps.db.query(statement)).rejects.toMatchObject({ code: '42501' })
  })

  async function readLedger(): Promise<object[]> {
    return (await app.db.query('select * from ledger order by entry')).rows
  }
})

async function connect(url: string): Promise<pg.Client> {
  const client = await connectClient(url)
  onTestFinished(() => client.end())
  return client
}

function open(url: string, ownerUrl?: string) {
  const environment = {
    DATABASE_URL: url,
    ...(ownerUrl && { DATABASE_OWNER_URL: ownerUrl }),
    DATA_KEYS: testDataKeys,
    LOG_LEVEL: 'silent',
    SEARCH_ENGINE: 'postgres',
  }
  const config = readConfig(environment, findProjectDir(import.meta.dirname))
  return openTestDeps(config)
}
