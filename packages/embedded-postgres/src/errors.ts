import { LockTimeoutError } from '@storedex/process-lock'
import { errorCode } from '@storedex/process-lock/system-errors'

/** What else helps the operator: a data directory elsewhere, or a PostgreSQL server that is not embedded. */
export type Remedy = 'other-data-directory' | 'own-server'

/** The embedded PostgreSQL cannot be used. The message is one sentence for the operator; the cause has the end of its log. */
export class EmbeddedPostgresError extends Error {
  readonly remedy: Remedy | undefined

  constructor(message: string, { remedy, ...options }: ErrorOptions & { remedy?: Remedy } = {}) {
    super(message, options)
    this.name = 'EmbeddedPostgresError'
    this.remedy = remedy
  }
}

/** The error for a program that could not be started. */
export function programError(program: string, cause: unknown): EmbeddedPostgresError {
  const reason =
    errorCode(cause) === 'ENOENT'
      ? 'this system lacks the C library it was built for (glibc)'
      : cause instanceof Error
        ? cause.message
        : String(cause)
  return new EmbeddedPostgresError(`${program} cannot run here: ${reason}.`, { cause, remedy: 'own-server' })
}

/** Runs `work`, and turns system errors into one sentence that says where they occurred and what to do. */
export async function describeErrors<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof EmbeddedPostgresError) throw cause
    if (cause instanceof LockTimeoutError) throw new EmbeddedPostgresError(cause.message)
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `The embedded PostgreSQL in ${dataDir} cannot be used (${reason})`
    if (errorCode(cause) !== 'EACCES' && errorCode(cause) !== 'EPERM') {
      throw new EmbeddedPostgresError(`${message}.`, { cause })
    }
    throw new EmbeddedPostgresError(
      `${message}: it belongs to another user; start as that user or choose another data directory.`,
      { cause, remedy: 'other-data-directory' },
    )
  }
}
