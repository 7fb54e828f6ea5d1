import { expect, onTestFinished, test } from 'vitest'
import { DatabaseHealthCheck } from '../../../src/foundation/db/health.ts'
import { createTestDatabase } from '../../support/database.ts'
import { startRelay } from '../../support/relay.ts'

/** A check through a relay that keeps the first replies to itself, as a process without a turn does not read them. */
async function checkLosing(replies: number): Promise<DatabaseHealthCheck> {
  const { url } = await createTestDatabase()
  let lost = 0
  const relay = await startRelay(url, (bytes) => (lost++ < replies ? Buffer.alloc(0) : bytes))
  const check = new DatabaseHealthCheck({ url: relay.url, applicationName: 'health test' })
  onTestFinished(() => check.close())
  return check
}

test('a check that timed out is made once more before the database counts as away', async () => {
  const check = await checkLosing(1)
  expect(await check.run()).toEqual({ problem: null })
})

test('a database that answers neither time is away', async () => {
  const check = await checkLosing(Number.POSITIVE_INFINITY)
  expect(await check.run()).toMatchObject({ problem: 'The database does not answer.' })
})
