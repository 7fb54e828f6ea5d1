/** Statements that read what an export would cost. Account tables and store tables are read apart. */
import type { Queryable } from '../../../foundation/db/pool.ts'
import type { DeliverEmails } from '../../../foundation/encryption/contact-facts.ts'
import { type Mode, splitContactKey } from '../../../foundation/kernel/ids.ts'

export interface AccountPeriod {
  accountId: number
  mode: Mode
  periodStart: Date
}

function numbersIn(text: string | null | undefined): number[] {
  return text ? text.split(',').map(Number) : []
}

/** Which of the stores the account has exported in the period. */
export async function selectExportedStores(
  db: Queryable,
  { accountId, mode, periodStart }: AccountPeriod,
  storeIds: readonly number[],
): Promise<Set<number>> {
  const { rows } = await db.query<{ ids: string | null }>({
    name: 'select_exported_stores',
    text: `
select string_agg(store_id::text, ',') as ids
from store_exports
where account_id = $1::bigint and mode = $2::text and period_start = $3::timestamptz
  and store_id = any ($4::bigint[])`,
    values: [accountId, mode, periodStart, storeIds],
  })
  return new Set(numbersIn(rows[0]?.ids))
}

/** Which of the contacts the account has revealed. */
export async function selectRevealedContacts(
  db: Queryable,
  { accountId, mode }: Pick<AccountPeriod, 'accountId' | 'mode'>,
  contactIds: readonly number[],
): Promise<Set<number>> {
  const { rows } = await db.query<{ ids: string | null }>({
    name: 'select_revealed_contacts',
    text: `
select string_agg(contact_id::text, ',') as ids
from reveals
where account_id = $1::bigint and mode = $2::text and contact_id = any ($3::bigint[])`,
    values: [accountId, mode, contactIds],
  })
  return new Set(numbersIn(rows[0]?.ids))
}

/** For each contact, in order: `1` if it can be revealed, `0` if not, `-` if it does not exist. */
export async function readRevealability(
  db: Queryable,
  contactIds: readonly number[],
  deliverEmails: DeliverEmails,
): Promise<string> {
  const keys = contactIds.map(splitContactKey)
  const { rows } = await db.query<{ flags: string | null }>({
    name: 'read_revealability',
    text: `
select string_agg(case when c.store_id is null then '-'
                       when case when $3::text = 'all' then c.revealable else c.verified_revealable end then '1'
                       else '0' end, '' order by ordinal) as flags
from unnest($1::bigint[], $2::smallint[]) with ordinality as requested (store_id, number, ordinal)
left join contacts c on c.store_id = requested.store_id and c.number = requested.number`,
    values: [keys.map(({ storeId }) => storeId), keys.map(({ number }) => number), deliverEmails],
  })
  return rows[0]?.flags ?? ''
}
