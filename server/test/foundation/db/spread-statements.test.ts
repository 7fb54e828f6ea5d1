import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPool } from '../../../src/foundation/db/pool.ts'
import { readCatalogueChanges } from '../../../src/product/delivery/document-cache-queries.ts'
import { atEnd } from '../../support/cleanup.ts'
import { createTestDatabase } from '../../support/database.ts'
import { recordedSenders } from '../../support/statements/lint.ts'
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

describe('a statement that Citus would refuse is found', () => {
  test.each([
    [
      "insert into request_windows as w (account_id, mode, minute_started_at, minute_used, day, day_used) values ($1::bigint, 'live', $2::timestamptz, 1, $3::date, 1) on conflict (account_id, mode) do update set minute_used = w.minute_used + 1 where w.minute_started_at + interval '60 seconds' > $2::timestamptz",
      /in DO UPDATE/,
    ],
    [
      "insert into idempotency (account_id, mode, operation, key_hash, request_hash, claimed_at) select $1::bigint, 'live', $2::text, $3::bytea, $4::bytea, $5::timestamptz",
      /not VALUES/,
    ],
    [
      'select c.number from contacts c join unnest($1::bigint[], $2::smallint[]) as wanted (store_id, number) on wanted.store_id = c.store_id and wanted.number = c.number for key share of c',
      /row locks/,
    ],
    [
      "select c.preview, r.contact_id is not null as revealed from contacts c left join reveals r on r.account_id = $1::bigint and r.mode = 'live' and r.contact_id = c.store_id where c.store_id = $2::bigint",
      /account and store joined/,
    ],
    [
      'select s.id, p.number from stores s cross join lateral (select number from contacts c where c.store_id = s.id order by number limit 1) p',
      /limit in a lateral/,
    ],
    [
      "update stores as s set document = fresh.document, tokens = fresh.tokens::integer[] from unnest($1::bigint[], string_to_array($2::text, E'\\n'), string_to_array($3::text, E'\\n')) as fresh (id, tokens, document) where s.id = fresh.id",
      /a cast by text of a joined column/,
    ],
    ['select exists (select from suppressions) as has_any', /empty list of columns/],
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
  expect(recordedSenders()).toContain('server/src/product/delivery/document-cache-queries.ts')
})
