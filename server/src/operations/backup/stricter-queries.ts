/** Statements that carry over to restored tables what was stricter in the tables that they replace. */

import pg from 'pg'
import type { Queryable } from '../../foundation/db/pool.ts'
import type { Mode } from '../../foundation/kernel/ids.ts'

/** Tables that are copied aside: those with what can be taken back, and what was done. */
export const comparedTables = ['accounts', 'api_keys', 'people', 'members', 'passkeys', 'audit_log'] as const

const keptName = (table: string) => pg.escapeIdentifier(`kept_${table}`)

/** Copies the tables aside, those that exist, until the transaction ends. */
export async function keepTables(db: Queryable): Promise<void> {
  for (const table of comparedTables)
    if (await hasTable(db, table))
      await db.query(`create temporary table ${keptName(table)} on commit drop as table public.${table}`)
}

async function hasTable(db: Queryable, table: string): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>('select to_regclass($1::text) is not null as found', [
    `public.${table}`,
  ])
  return rows[0]!.found
}

/** The secret behind public ids: the same in two databases if one came from the other. Null for a database without one. */
export async function readPublicIdSecret(db: Queryable): Promise<Buffer | null> {
  if (!(await hasTable(db, 'installation'))) return null
  const { rows } = await db.query<{ value: Buffer }>("select value from public.installation where name = 'secret'")
  return rows[0]?.value ?? null
}

/** Gives the tables that were kept aside, perhaps of an older schema, all columns of the restored ones, without values. */
export async function completeKeptTables(db: Queryable): Promise<void> {
  for (const table of comparedTables) {
    await db.query(`create temporary table if not exists ${keptName(table)} (like public.${table}) on commit drop`)
    const { rows } = await db.query<{ name: string; type: string }>(
      `
select a.attname::text as name, format_type(a.atttypid, a.atttypmod) as type
from pg_attribute a
where a.attrelid = $1::text::regclass and a.attnum > 0 and not a.attisdropped
  and not exists (select 1 from pg_attribute k
                  where k.attrelid = $2::text::regclass and k.attname = a.attname and k.attnum > 0)`,
      [`public.${table}`, `kept_${table}`],
    )
    for (const { name, type } of rows)
      await db.query(`alter table ${keptName(table)} add column ${pg.escapeIdentifier(name)} ${type}`)
  }
}

/** Accounts that were suspended or closed stay so. Returns how many changed; so do the others. */
export async function keepAccountEnds(db: Queryable): Promise<number> {
  const { rowCount } = await db.query(`
update public.accounts a
set suspended_at = coalesce(a.suspended_at, k.suspended_at), closed_at = coalesce(a.closed_at, k.closed_at)
from kept_accounts k
where k.id = a.id and k.created_at = a.created_at
  and (a.suspended_at is null and k.suspended_at is not null or a.closed_at is null and k.closed_at is not null)`)
  return rowCount ?? 0
}

/** Keys end, and may do and spend, as the narrower of the two says. A null budget or expiry is none; least() skips nulls. */
export async function keepKeyLimits(db: Queryable): Promise<number> {
  const { rowCount } = await db.query(`
update public.api_keys a
set revoked_at = s.revoked_at, suspended_at = s.suspended_at, expires_at = s.expires_at, scopes = s.scopes,
    budget_contact_credits = s.budget_contact_credits, budget_store_exports = s.budget_store_exports,
    budget_search_rows = s.budget_search_rows
from (
  select r.id,
         coalesce(r.revoked_at, k.revoked_at) as revoked_at,
         coalesce(r.suspended_at, k.suspended_at) as suspended_at,
         least(r.expires_at, k.expires_at) as expires_at,
         array(select scope from unnest(r.scopes) with ordinality as scopes (scope, place)
               where k.scopes is null or scope = any (k.scopes) order by place) as scopes,
         least(r.budget_contact_credits, k.budget_contact_credits) as budget_contact_credits,
         least(r.budget_store_exports, k.budget_store_exports) as budget_store_exports,
         least(r.budget_search_rows, k.budget_search_rows) as budget_search_rows
  from public.api_keys r
  join kept_api_keys k on k.secret_hash = r.secret_hash
) as s
where s.id = a.id
  and (s.revoked_at, s.suspended_at, s.expires_at, s.scopes, s.budget_contact_credits, s.budget_store_exports,
       s.budget_search_rows)
      is distinct from
      (a.revoked_at, a.suspended_at, a.expires_at, a.scopes, a.budget_contact_credits, a.budget_store_exports,
       a.budget_search_rows)`)
  return rowCount ?? 0
}

/** Operator marks that were withdrawn stay so. */
export async function keepOperatorMarks(db: Queryable): Promise<number> {
  const { rowCount } = await db.query(`
update public.people p
set operator = false
from kept_people k
where k.id = p.id and k.created_at = p.created_at and p.operator and not k.operator`)
  return rowCount ?? 0
}

/** The newer password counts, and a removed one stays away; so does the binding to the OpenID provider. */
export async function keepPasswords(db: Queryable): Promise<number> {
  const { rowCount } = await db.query(`
update public.people p
set password_hash = k.password_hash, password_set_at = k.password_set_at
from kept_people k
where k.id = p.id and k.created_at = p.created_at and p.password_hash is not null
  and (k.password_hash is null or k.password_set_at > coalesce(p.password_set_at, '-infinity'))`)
  await db.query(`
update public.people p
set openid_issuer = k.openid_issuer, openid_subject = k.openid_subject
from kept_people k
where k.id = p.id and k.created_at = p.created_at and p.openid_subject is null and k.openid_subject is not null
  and not exists (select 1 from public.people other
                  where other.openid_issuer = k.openid_issuer and other.openid_subject = k.openid_subject)`)
  return rowCount ?? 0
}

/** Passkeys that a person has removed stay away. The counters of the others go on from the higher value. */
export async function keepPasskeyRemovals(db: Queryable): Promise<number> {
  const { rowCount } = await db.query(`
delete from public.passkeys r
using kept_people k, public.people p
where p.id = r.person_id and k.id = p.id and k.created_at = p.created_at
  and not exists (select 1 from kept_passkeys h where h.person_id = r.person_id and h.credential_id = r.credential_id)`)
  await db.query(`
update public.passkeys r
set sign_count = k.sign_count
from kept_passkeys k
where k.credential_id = r.credential_id and k.sign_count > r.sign_count`)
  return rowCount ?? 0
}

/** Of two roles in an account the one that may do less counts. */
export async function keepRoles(db: Queryable): Promise<number> {
  const { rowCount } = await db.query(`
update public.members m
set role = k.role
from kept_members k, public.people p, kept_people kp
where k.account_id = m.account_id and k.person_id = m.person_id
  and p.id = m.person_id and kp.id = p.id and kp.created_at = p.created_at
  and array_position(array['viewer', 'member', 'admin', 'owner'], k.role::text)
      < array_position(array['viewer', 'member', 'admin', 'owner'], m.role::text)`)
  return rowCount ?? 0
}

interface Removal {
  action: string
  account_id: number
  target: string
  at: Date
}

/** The removals of users and memberships in the audit log that was kept. */
export async function readRemovals(db: Queryable): Promise<Removal[]> {
  const { rows } = await db.query<Removal>(`
select action, account_id, target, at
from kept_audit_log
where action in ('person.removed', 'member.removed', 'member.left') and target is not null`)
  return rows
}

/** Deletes people who were removed after they were created. */
export async function deleteRemovedPeople(
  db: Queryable,
  removed: readonly { id: number; at: Date }[],
): Promise<number> {
  const { rowCount } = await db.query(
    `
delete from public.people p
using unnest($1::bigint[], $2::timestamptz[]) as r (id, at)
where p.id = r.id and p.created_at <= r.at`,
    [removed.map(({ id }) => id), removed.map(({ at }) => at)],
  )
  return rowCount ?? 0
}

/** Deletes memberships that were ended after they began. */
export async function deleteEndedMemberships(
  db: Queryable,
  ended: readonly { accountId: number; userId: number; at: Date }[],
): Promise<number> {
  const { rowCount } = await db.query(
    `
delete from public.members m
using unnest($1::bigint[], $2::bigint[], $3::timestamptz[]) as r (account_id, person_id, at)
where m.account_id = r.account_id and m.person_id = r.person_id and m.added_at <= r.at`,
    [ended.map(({ accountId }) => accountId), ended.map(({ userId }) => userId), ended.map(({ at }) => at)],
  )
  return rowCount ?? 0
}

/**
 * Puts the audit log that was kept back, and keeps the restored entries that it lacks. An entry whose number the kept log
 * uses for another one gets a new number.
 */
export async function mergeAuditLogs(db: Queryable): Promise<void> {
  const { rows } = await db.query<{ columns: string }>(`
select string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
from pg_attribute a
join pg_attribute k on k.attrelid = 'kept_audit_log'::regclass and k.attname = a.attname and k.attnum > 0
where a.attrelid = 'public.audit_log'::regclass and a.attnum > 0 and not a.attisdropped`)
  const { columns } = rows[0]!
  await db.query(`
delete from public.audit_log a
using kept_audit_log k
where k.account_id = a.account_id and k.entry = a.entry and k.at = a.at and k.action = a.action`)
  await db.query(`
update public.audit_log a
set entry = nextval(pg_get_serial_sequence('public.audit_log', 'entry'))
from kept_audit_log k
where k.account_id = a.account_id and k.entry = a.entry`)
  await db.query(`insert into public.audit_log (${columns}) select ${columns} from kept_audit_log`)
}

/** Open accounts that have an owner. */
export async function readOwnedAccounts(db: Queryable): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(`
select distinct a.id
from public.accounts a
join public.members m on m.account_id = a.id
where a.closed_at is null and m.role = 'owner'
order by a.id`)
  return rows.map(({ id }) => id)
}

interface ValidKeyRow {
  id: number
  account_id: number
  mode: Mode
  name: string
  shown_first: string
  shown_last: string
}

const isValidKey = (alias: string) =>
  `${alias}.revoked_at is null and ${alias}.suspended_at is null and (${alias}.expires_at is null or ${alias}.expires_at > $1::timestamptz)`

/** The keys that are valid now, and were not in the tables that were replaced. */
export async function readRevivedKeys(db: Queryable, now: Date): Promise<ValidKeyRow[]> {
  const { rows } = await db.query<ValidKeyRow>(
    `
select a.id, a.account_id, a.mode, a.name, a.shown_first, a.shown_last
from public.api_keys a
where ${isValidKey('a')}
  and not exists (select 1 from kept_api_keys k where k.secret_hash = a.secret_hash and ${isValidKey('k')})
order by a.account_id, a.id`,
    [now],
  )
  return rows
}

interface OperatorRow {
  id: number
  email: string
  name: string
}

/** The operators of the restored tables who were none in the tables that were replaced. */
export async function readRevivedOperators(db: Queryable, isSameInstallation: boolean): Promise<OperatorRow[]> {
  const { rows } = await db.query<OperatorRow>(
    `
select p.id, p.email, p.name
from public.people p
where p.operator
  and not ($1::boolean and exists (select 1 from kept_people k
                                   where k.id = p.id and k.created_at = p.created_at and k.operator))
order by p.email`,
    [isSameInstallation],
  )
  return rows
}
