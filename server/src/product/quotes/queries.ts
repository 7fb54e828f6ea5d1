import { contactsPerStore } from '@storedex/search-index'
import type { Queryable } from '../../foundation/db/pool.ts'
import type { DeliverEmails } from '../../foundation/encryption/contact-facts.ts'
import type { Mode } from '../../foundation/kernel/ids.ts'

export interface QuoteQuery {
  accountId: number
  mode: Mode
  /** Distinct, of the mode. */
  contactIds: number[]
  deliverEmails: DeliverEmails
  periodStart: Date
  creditsPeriodStart: Date
}

export interface QuoteRow {
  /** The contacts that a reveal would deliver. */
  contacts: number
  /** Their stores. */
  stores: number
  /** Those of the contacts that the account has revealed. */
  already_revealed: number
  /** Their stores that the account has not exported in the period. */
  new_exports: number
  /** Used and reserved amounts. */
  credits_taken: number
  exports_taken: number
}

/** Reads what revealing the contacts would cost now. */
export async function readRevealQuote(db: Queryable, query: QuoteQuery): Promise<QuoteRow> {
  const { rows } = await db.query<QuoteRow>({
    name: 'read_reveal_quote',
    text: `
with deliverable as materialized (
  select requested.contact_id, c.store_id
  from unnest($3::bigint[]) as requested (contact_id)
  join contacts c
    on c.store_id = requested.contact_id / ${contactsPerStore} and c.number = requested.contact_id % ${contactsPerStore}
  where case when $4::text = 'verified' then c.verified_revealable else c.revealable end
)
select (select count(*) from deliverable) as contacts,
       (select count(distinct store_id) from deliverable) as stores,
       (select count(*)
        from reveals r
        where r.account_id = $1::bigint and r.mode = $2::text
          and r.contact_id = any (array(select contact_id from deliverable))) as already_revealed,
       (select count(distinct store_id) from deliverable)
         - (select count(*)
            from store_exports e
            where e.account_id = $1::bigint and e.mode = $2::text and e.period_start = $5::timestamptz
              and e.store_id = any (array(select store_id from deliverable))) as new_exports,
       coalesce((select used + reserved
                 from usage_counters
                 where account_id = $1::bigint and mode = $2::text and meter = 'contact_credits'
                   and period_start = $6::timestamptz), 0) as credits_taken,
       coalesce((select used + reserved
                 from usage_counters
                 where account_id = $1::bigint and mode = $2::text and meter = 'store_exports'
                   and period_start = $5::timestamptz), 0) as exports_taken`,
    values: [
      query.accountId,
      query.mode,
      query.contactIds,
      query.deliverEmails,
      query.periodStart,
      query.creditsPeriodStart,
    ],
  })
  return rows[0]!
}
