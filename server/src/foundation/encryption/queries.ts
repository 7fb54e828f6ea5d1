/** Statements on data keys and the identity key. Sealed bytes begin with the id of their key. */
import type { Client, Queryable } from '../db/pool.ts'

/** Raises the timeouts of this transaction: it may read whole tables, and wait for an import's chunk. */
export async function allowLongStatements(client: Client): Promise<void> {
  await client.query(`
    select set_config(name, value, true)
    from (values ('statement_timeout', '30min'), ('lock_timeout', '5min')) as settings (name, value)`)
}

const keyIdOf = (column: string) => `convert_from(substring(${column} from 3 for get_byte(${column}, 1)), 'LATIN1')`

export interface DataKeyUse {
  /** The data key's id. */
  id: string
  contacts: number
  /** Kept replies, and pieces of the files of exports, which are kept replies too. */
  replies: number
}

/** Counts what each key has sealed, without opening it. */
export async function countByDataKey(client: Queryable): Promise<DataKeyUse[]> {
  const { rows } = await client.query<DataKeyUse>(`
    select id, sum(contacts) as contacts, sum(replies) as replies
    from (
      select ${keyIdOf('sealed')} as id, count(*) as contacts, 0 as replies from contacts group by 1
      union all
      select ${keyIdOf('reply')} as id, 0 as contacts, count(*) as replies
      from idempotency where reply is not null group by 1
      union all
      select ${keyIdOf('bytes')} as id, 0 as contacts, count(*) as replies
      from export_chunks where sealed group by 1
    ) as uses
    group by id
    order by id collate "C"`)
  return rows.map(({ id, contacts, replies }) => ({ id, contacts: Number(contacts), replies: Number(replies) }))
}

/** Replaces a value of the installation if it is still `before`. */
export async function replaceInstallationValue(
  db: Queryable,
  name: string,
  before: Buffer,
  after: Buffer,
): Promise<void> {
  await db.query('update installation set value = $3::bytea where name = $1::text and value = $2::bytea', [
    name,
    before,
    after,
  ])
}

const recordPrefix = 'data_key '

/** Records that this data key seals from now on. */
export async function recordDataKey(db: Queryable, id: string): Promise<void> {
  await db.query(`insert into installation (name, value) values ($1::text, ''::bytea) on conflict (name) do nothing`, [
    recordPrefix + id,
  ])
}

export async function readRecordedDataKeys(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>('select name from installation where starts_with(name, $1::text)', [
    recordPrefix,
  ])
  return rows.map(({ name }) => name.slice(recordPrefix.length))
}

export async function forgetDataKeys(db: Queryable, ids: readonly string[]): Promise<void> {
  await db.query('delete from installation where name = any ($1::text[])', [ids.map((id) => recordPrefix + id)])
}
