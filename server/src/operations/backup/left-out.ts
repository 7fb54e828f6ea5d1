/**
 * The parts that a backup omits. A stranger with the file, or with an old cookie or link, could otherwise sign in after
 * a restore. A table is left out whole or by rows; a restore leaves it empty, whatever an older file holds.
 */

const wholeTables = {
  // The readiness check empties it every few seconds, and would wait for a backup. It never holds a row.
  readiness_probe: true,
  sessions: true,
  sign_in_links: true,
  challenges: true,
  invitations: true,
  attempt_windows: true,
}

/** The rows of a table that are copied, as a condition in SQL. */
const copiedRows: Readonly<Record<string, string>> = {
  // An open one is a link that shows and erases data.
  privacy_requests: 'ended_at is not null',
}

export function isNeverCopied(table: string): boolean {
  return table in wholeTables
}

/** Undefined where all rows are copied. */
export function conditionOfCopied(table: string): string | undefined {
  return copiedRows[table]
}

export const partlyCopied: readonly string[] = Object.keys(copiedRows)
