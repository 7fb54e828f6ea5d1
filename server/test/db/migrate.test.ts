import pg from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../support/database.ts'

test('a cloned database has the schema', async () => {
  const { url } = await createTestDatabase()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query('select version from schema_migrations')
  expect(rows).toEqual([{ version: 1 }])
  await client.end()
})
