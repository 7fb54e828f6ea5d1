import { OperatorError } from '../../../server/src/kernel/errors.ts'

/** The embedded PostgreSQL cannot be had. The message is one sentence for the operator; the cause holds its log's end. */
export class EmbeddedPostgresError extends OperatorError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EmbeddedPostgresError'
  }
}
