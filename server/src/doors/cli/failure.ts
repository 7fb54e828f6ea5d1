import { EmbeddedPostgresError } from '@storedex/embedded-postgres'
import { classifyDatabaseError, type DatabaseFailure } from '@storedex/pg-lanes/failures'
import { escapeLine } from '@storedex/process-lock/terminal'
import { OperatorError, Refusal } from '../../foundation/kernel/errors.ts'

const adviceFor: Record<DatabaseFailure, string> = {
  away: 'The database is unavailable: see its log, and run the command again.',
  overloaded: 'The database is overloaded: run the command again in a moment.',
  disk_full: 'The disk is full: free some space, and run the command again.',
  files_unusable: 'The database cannot use its files: see its log, and its disk.',
  not_permitted: 'The database refuses this to its role, or cannot open its own files.',
}

/** Formats an error for the operator. An operator error is one sentence; an unexpected error includes its stack. */
export function formatFailure(error: unknown): string {
  if (error instanceof OperatorError) {
    const { cause } = error
    const detail =
      cause instanceof EmbeddedPostgresError && cause.cause instanceof Error ? `\n${cause.cause.message}` : ''
    return `${escapeLine(error.message)}${detail}`
  }
  // The public message is too little for the operator, who can act on the cause.
  if (error instanceof Refusal)
    return escapeLine(error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message)
  const failure = classifyDatabaseError(error)
  if (failure) return escapeLine(`${adviceFor[failure]} (${(error as Error).message})`)
  if ((error as { code?: unknown } | null)?.code === 'ENOSPC')
    return escapeLine(`${adviceFor.disk_full} (${(error as Error).message})`)
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
