import { OperatorError } from '../../../server/src/kernel/errors.ts'

/** The embedded PostgreSQL cannot be had. The message is one sentence for the operator; the cause holds its log's end. */
export class EmbeddedPostgresError extends OperatorError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EmbeddedPostgresError'
  }
}

/** The `code` of a system error (`ENOENT`) or of PostgreSQL (`57P03`), if it has one. */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}

/** Runs a file operation; answers undefined when it failed with one of `codes`. */
export function unless<T>(codes: readonly string[], operation: () => T): T | undefined {
  try {
    return operation()
  } catch (error) {
    if (codes.includes(codeOf(error) ?? '')) return undefined
    throw error
  }
}
