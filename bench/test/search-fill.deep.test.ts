import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { computeSearchColumns, selectContactTokens } from '../../server/src/catalogue/writing/search-columns.ts'
import { parseStore } from '../../server/src/product/delivery/store-document.ts'
import { atEnd } from '../../server/test/support/cleanup.ts'
import { createTestDatabase } from '../../server/test/support/database.ts'
import { fillDatabase } from '../search/catalogue/fill.ts'
import { storesPerBatch } from '../search/catalogue/rows.ts'

const { url } = await createTestDatabase()
const dataDir = mkdtempSync(join(tmpdir(), 'storedex-test-'))
atEnd(() => rmSync(dataDir, { recursive: true }))
const client = new pg.Client({ connectionString: url })
await client.connect()
atEnd(() => client.end())
const readIndexes = async () =>
  (await client.query<{ indexdef: string }>('select indexdef from pg_indexes order by 1')).rows.map(
    (row) => row.indexdef,
  )

const size = storesPerBatch + 100
const indexesBefore = await readIndexes()
const filled = await fillDatabase({ databaseUrl: url, dataDir }, size, () => {})

test('search columns of a filled store match its document and contacts, as after an import', async () => {
  const { rows } = await client.query<{ document: string; tokens: number[]; negated_score: number; total: string }>(
    `select document, tokens, negated_score, (select count(*) from contacts where store_id = stores.id) as total
     from stores order by id limit 500`,
  )
  for (const { document, tokens, negated_score, total } of rows) {
    const store = parseStore(document)
    const columns = computeSearchColumns(store, selectContactTokens(tokens), filled.taxonomy.vocabulary)
    expect({ tokens, negatedScore: negated_score }).toEqual({
      tokens: columns.tokens,
      negatedScore: columns.negatedScore,
    })
    expect(store.contacts_summary.total).toBe(Number(total))
  }
})

test('indexes, batches and sequences are ready for the next import', async () => {
  expect(await readIndexes()).toEqual(indexesBefore)
  const { rows } = await client.query(
    `select (select batch from catalogue_state) as batch, (select max(batch) from stores) as "lastOfStores",
            (select count(*) from catalogue_batches) as batches,
            nextval(pg_get_serial_sequence('stores', 'id')) as "nextId",
            (select bool_and(next_contact_number > number) from contacts join stores on id = store_id) as "areFree"`,
  )
  expect(rows).toEqual([{ batch: '2', lastOfStores: '2', batches: '2', nextId: String(size + 1), areFree: true }])
})
