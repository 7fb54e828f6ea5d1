import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPool } from '../../src/db/pool.ts'
import { readCatalogueChanges } from '../../src/delivery/document-cache-queries.ts'
import { atEnd } from '../support/cleanup.ts'
import { createTestDatabase } from '../support/database.ts'
import { recordedSenders } from '../support/statements/lint.ts'
import { type Schema, StatementParser } from './support/parse-tree.ts'
import { brokenRules } from './support/spread-rules.ts'

let parser: StatementParser
let schema: Schema
beforeAll(async () => {
  parser = new StatementParser((await createTestDatabase()).url)
  schema = await parser.open()
})
afterAll(() => parser.close())

const check = async (statement: string) => brokenRules(await parser.parse(statement), schema)

const texts = readFileSync(join(import.meta.dirname, 'support/old-statements.sql'), 'utf8')
const oldStatements = [...texts.matchAll(/^-- (\w+)\n(.*?)(?=^-- \w+\n|$(?![\s\S]))/gms)].map(
  ([, name, text]) => [name!, text!] as const,
)

/** What each old statement must be found for. */
const expected: Record<string, RegExp> = {
  admit_request: /in DO UPDATE/,
  admit_link_request: /in DO UPDATE/,
  admit_status_check: /in DO UPDATE/,
  claim_in_hour: /in DO UPDATE/,
  claim_reply: /not VALUES/,
  hold_contacts_at: /row locks/,
  deliver_previews: /account and store joined/,
  deliver_hosts: /host and store joined/,
  contact_search: /limit in a lateral/,
  update_stores: /a cast by text of a joined column/,
  update_contacts: /a cast by text of a joined column/,
  update_store_summaries: /a cast by text of a joined column/,
  has_suppressions: /empty list of columns/,
  find_contact_keys: /host and store joined/,
}

describe('a statement that Citus would refuse is found', () => {
  test('every planted one is there', () => {
    expect(oldStatements.map(([name]) => name).sort()).toEqual(Object.keys(expected).sort())
  })

  test.each(oldStatements)('%s', async (name, text) => {
    expect(await check(text)).toEqual(expect.arrayContaining([expect.stringMatching(expected[name]!)]))
  })

  test.each([
    [
      'update idempotency set claimed_at = $1::timestamptz where claimed_at > coalesce((select min(claimed_at) from idempotency), $1::timestamptz)',
      /CASE or COALESCE/,
    ],
    [
      "update lists set updated_at = case when items > 0 then updated_at + interval '1 second' end where account_id = $1::bigint",
      /CASE or COALESCE/,
    ],
    [
      'with due as (select account_id, id from lists for update) update lists l set name = $1::text from due where l.account_id = due.account_id and l.id = due.id',
      /row locks on lists without equality/,
    ],
    [
      "insert into store_exports (account_id, mode, period_start, store_id, exported_at) select $1::bigint, 'live', $2::timestamptz, id, $2::timestamptz from unnest($3::bigint[]) as given (id) on conflict do nothing",
      /a wrong number/,
    ],
    [
      'update api_keys set revoked_at = null where id = $1::bigint and revoked_at in (select at from audit_log where account_id = $2::bigint)',
      /that reads spread rows/,
    ],
    [
      'select b.batch, (select count(*) from stores s where s.batch = b.batch) from (select batch from catalogue_batches limit 5) b',
      /for each row of copied tables/,
    ],
    [
      'select a.id, r.starts from accounts a left join lateral (select array_agg(u.period_start) as starts from usage_counters u where u.account_id = a.id) r on true',
      /for each row of copied tables/,
    ],
    [
      'select 1 from lists where (account_id, id) in (select account_id, list_id from list_pending where host = $1::text) for update',
      /row locks on lists without equality/,
    ],
    [
      'select s.id, (select count(*) from store_domains d where d.store_id = s.id) from stores s',
      /host and store joined/,
    ],
  ])('%s', async (statement, rule) => {
    expect(await check(statement)).toEqual([expect.stringMatching(rule)])
  })
})

describe('what Citus takes is not refused', () => {
  test.each([
    'select id from lists where account_id = $1::bigint and id = any ($2::bigint[]) order by id for update',
    'select batch from catalogue_state for update',
    `insert into usage_counters as c (account_id, mode, meter, period_start, used) values ($1::bigint, 'live', 'search_rows', $2::timestamptz, 1)
     on conflict (account_id, mode, meter, period_start) do update set used = c.used + excluded.used
     where $2::timestamptz - c.period_start < interval '1 hour'`,
    `with found as materialized (select store_id from store_domains where host = $1::text)
     select s.id from found join stores s on s.id = found.store_id`,
    'select c.number from stores s join contacts c on c.store_id = s.id where s.id = $1::bigint',
    'insert into store_exports select account_id, mode, $1::timestamptz, store_id, $1::timestamptz from store_exports',
    'with due as (select id from lists where account_id = $1::bigint for update) update lists l set name = $2::text from due where l.account_id = $1::bigint and l.id = due.id',
    'select sum(rows) from (select count(*) as rows from contacts union all select count(*) from idempotency) counts',
    `insert into attempt_windows as w (kind, subject, started_at, used) values ($1::text, ''::bytea, $2::timestamptz, 1)
     on conflict (kind, subject) do update set used = w.used + 1 where w.used < ($3::integer[])[array_position($4::text[], w.kind)]`,
  ])('%s', async (statement) => {
    expect(await check(statement)).toEqual([])
  })
})

test('a statement of the service is recorded with the file that sends it, however the driver prepares it', async () => {
  const { url } = await createTestDatabase()
  const db = createPool({ url, applicationName: 'under test', maxConnections: 1 })
  atEnd(() => db.end())
  await readCatalogueChanges(db, null, 1)
  expect(recordedSenders()).toContain('server/src/delivery/shared/document-cache-queries.ts')
})
