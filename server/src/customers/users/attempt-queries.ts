import type { Queryable } from '../../foundation/db/pool.ts'
import { isWindowOpenSql } from '../ledger/window-queries.ts'

/** A window of attempts to count in, by what it bounds. */
export interface AttemptWindow {
  kind: string
  /** Keyed hash of the address or the user. */
  subject: Buffer
  limit: number
}

export interface CountedAttemptRow {
  kind: string
  counted: boolean
  /** Null when it was created by a concurrent attempt. */
  started_at: Date | null
}

/** How long windows are; each kind of window has one length. */
export type WindowLength = '15 minutes' | '1 day'

function countingSql(length: WindowLength): string {
  const isOpen = isWindowOpenSql('w.started_at', 'excluded.started_at', length)
  return `
with wanted as (
  select * from unnest($1::text[], $2::bytea[]) with ordinality as t (kind, subject, place)
),
counted as (
  insert into attempt_windows as w (kind, subject, started_at, used)
  select kind, subject, $4::timestamptz, 1 from wanted order by place
  on conflict (kind, subject) do update set
    started_at = case when ${isOpen} then w.started_at else excluded.started_at end,
    used       = case when ${isOpen} then w.used + 1 else 1 end
  where not ${isOpen}
    or w.used < ($3::integer[])[array_position($1::text[], w.kind)]
  returning kind, started_at
)
select t.kind, c.kind is not null as counted, coalesce(c.started_at, w.started_at) as started_at
from wanted t
left join counted c on c.kind = t.kind
left join attempt_windows w on w.kind = t.kind and w.subject = t.subject`
}

const statements: Record<WindowLength, { name: string; text: string }> = {
  '15 minutes': { name: 'count_attempt', text: countingSql('15 minutes') },
  '1 day': { name: 'count_attempt_of_the_day', text: countingSql('1 day') },
}

/**
 * Counts an attempt in every given window that has room, in one statement. Their kinds differ. The windows are locked in
 * the order of the list, so callers must always use the same order of kinds.
 */
export async function countAttempt(
  db: Queryable,
  windows: readonly AttemptWindow[],
  { now, length }: { now: Date; length: WindowLength },
): Promise<CountedAttemptRow[]> {
  const { rows } = await db.query<CountedAttemptRow>({
    ...statements[length],
    values: [
      windows.map(({ kind }) => kind),
      windows.map(({ subject }) => subject),
      windows.map(({ limit }) => limit),
      now,
    ],
  })
  return rows
}

/** Takes back an attempt. A window that has been replaced since is left alone. */
export async function uncountAttempt(
  db: Queryable,
  windows: readonly { kind: string; subject: Buffer; startedAt: Date }[],
): Promise<void> {
  await db.query({
    name: 'uncount_attempt',
    text: `
update attempt_windows w
set used = w.used - 1
from unnest($1::text[], $2::bytea[], $3::timestamptz[]) as t (kind, subject, started_at)
where w.kind = t.kind and w.subject = t.subject and w.started_at = t.started_at and w.used > 0`,
    values: [
      windows.map(({ kind }) => kind),
      windows.map(({ subject }) => subject),
      windows.map(({ startedAt }) => startedAt),
    ],
  })
}

/** Deletes windows that ended before `before`, at most `limit` of them; returns how many. */
export async function deleteOldAttemptWindows(db: Queryable, before: Date, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `
delete from attempt_windows
where (kind, subject) in (
  select kind, subject from attempt_windows where started_at < $1::timestamptz limit $2::integer
)`,
    [before, limit],
  )
  return rowCount ?? 0
}
