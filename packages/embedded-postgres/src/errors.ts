import { LockTimeoutError } from '@storedex/process-lock'
import { errorCode } from '@storedex/process-lock/system-errors'
import { OperatorError } from '../../../server/src/kernel/errors.ts'

/** The embedded PostgreSQL cannot be had. The message is one sentence for the operator; the cause holds its log's end. */
export class EmbeddedPostgresError extends OperatorError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EmbeddedPostgresError'
  }
}

/** What to say about a program that could not even be begun. */
export function programError(program: string, cause: unknown): EmbeddedPostgresError {
  const reason =
    errorCode(cause) === 'ENOENT'
      ? 'this system lacks the C library it was built for (glibc)'
      : cause instanceof Error
        ? cause.message
        : String(cause)
  return new EmbeddedPostgresError(
    `${program} cannot run here: ${reason}. Set DATABASE_URL to a PostgreSQL of your own.`,
    {
      cause,
    },
  )
}

/** System errors become one sentence, so that whoever reads it knows where and what to do. */
export async function describeErrors<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof EmbeddedPostgresError) throw cause
    if (cause instanceof LockTimeoutError) throw new EmbeddedPostgresError(cause.message, { cause })
    const reason = cause instanceof Error ? cause.message : String(cause)
    const advice =
      errorCode(cause) === 'EACCES' || errorCode(cause) === 'EPERM'
        ? ': it belongs to another user; start as that user or choose another DATA_DIR'
        : ''
    throw new EmbeddedPostgresError(`The embedded PostgreSQL in ${dataDir} cannot be used (${reason})${advice}.`, {
      cause,
    })
  }
}
