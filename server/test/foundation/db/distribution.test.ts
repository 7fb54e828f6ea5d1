import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { distributeTables, distributions } from '../../../src/foundation/db/distribution.ts'
import { connectClient, createTestDatabase } from '../../support/database.ts'

let url: string
beforeAll(async () => {
  ;({ url } = await createTestDatabase())
})

describe('the table of distribution columns', () => {
  test('has every table of the schema', async () => {
    const client = await connectClient(url)
    const { rows } = await client.query(
      "select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
    )
    await client.end()
    expect(Object.keys(distributions).sort()).toEqual(rows.map((row) => row.relname).sort())
  })

  test('is the one of docs/architecture.md', async () => {
    const page = await readFile(join(import.meta.dirname, '../../../../docs/architecture.md'), 'utf8')
    const section = page.slice(page.indexOf('## Data model'), page.indexOf('## Walk: a search'))
    const documented = [...section.matchAll(/^\| (`.+?`) \|.*\| (.+) \|$/gm)].flatMap(([, names, column]) =>
      [...names!.matchAll(/`(\w+)`/g)].map(([, name]) => [name!, column!.replaceAll('`', '')]),
    )
    const inCode = Object.entries(distributions).flatMap(([table, how]) => {
      if (table === 'schema_migrations') return []
      return [[table, typeof how === 'object' ? how.column : how === 'copied' ? 'copied everywhere' : 'none']]
    })
    expect(documented.sort()).toEqual(inCode.sort())
  })

  test('has in every unique index of a table the column that spreads it', async () => {
    const client = await connectClient(url)
    const { rows } = await client.query<{ table: string; index: string; columns: string[] }>(
      `select c.relname as table, i.indexrelid::regclass::text as index,
              array(select attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum = any (i.indkey)) as columns
       from pg_index i join pg_class c on c.oid = i.indrelid
       where i.indisunique and c.relnamespace = 'public'::regnamespace`,
    )
    await client.end()
    const missing = rows.filter(({ table, columns }) => {
      const how = distributions[table]
      return typeof how === 'object' && !columns.includes(how.column)
    })
    expect(missing).toEqual([])
  })
})

test('a database without Citus is told so', async () => {
  await expect(distributeTables(url)).rejects.toThrow(/no Citus extension.*leave out --distribute/)
})
