import { expect, onTestFinished, test } from 'vitest'
import { findProjectDir, readConfig } from '../../../src/operations/config.ts'
import { openCatalogueDeps } from '../../../src/operations/resources/catalogue.ts'
import { openDatabaseDeps } from '../../../src/operations/resources/database.ts'
import { connectClient, createTestDatabase } from '../../support/database.ts'
import { testDataKeys } from '../../support/fixtures.ts'

const projectDir = findProjectDir(import.meta.dirname)

function configOf(environment: Record<string, string>) {
  return readConfig({ DATA_KEYS: testDataKeys, LOG_LEVEL: 'silent', ...environment }, projectDir)
}

const options = { applicationName: 'storedex resources' }

test('two URLs of different databases are rejected', async () => {
  const [one, another] = [await createTestDatabase(), await createTestDatabase()]
  // Each database gets its own secret when it is opened.
  for (const { url } of [one, another]) await (await openDatabaseDeps(configOf({ DATABASE_URL: url }), options)).close()
  const open = (owner: string) =>
    openDatabaseDeps(configOf({ DATABASE_URL: one.serviceUrl, DATABASE_OWNER_URL: owner }), options)
  await expect(open(another.url)).rejects.toThrow('DATABASE_URL and DATABASE_OWNER_URL must name one database.')
  await (await open(one.url)).close()
})

test('a direct URL of another role is rejected', async () => {
  const { url, serviceUrl } = await createTestDatabase()
  const config = configOf({ DATABASE_URL: serviceUrl, DATABASE_DIRECT_URL: url, DATABASE_OWNER_URL: url })
  await expect(openDatabaseDeps(config, options)).rejects.toThrow(
    'DATABASE_URL and DATABASE_DIRECT_URL must name the same role.',
  )
})

test('when a later step fails, no connection is left', async () => {
  const { url } = await createTestDatabase()
  await (await openCatalogueDeps(configOf({ DATABASE_URL: url }), options)).close()
  const client = await connectClient(url)
  onTestFinished(() => client.end())
  // The second start has other keys than those that the first one sealed its installation with.
  const otherKeys = { DATABASE_URL: url, DATA_KEYS: `2:${Buffer.alloc(32, 9).toString('base64')}` }
  await expect(openCatalogueDeps(configOf(otherKeys), options)).rejects.toThrow()
  const count =
    "select count(*)::integer as count from pg_stat_activity where application_name like 'storedex resources%'"
  await expect.poll(async () => (await client.query(count)).rows[0].count).toBe(0)
})
