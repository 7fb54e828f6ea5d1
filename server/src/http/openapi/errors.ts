import { type ErrorCode, errorTable } from '../../kernel/errors.ts'
import { errorExamples } from '../error-examples.ts'
import type { ErrorReply } from '../error-reply.ts'

/** A status that an operation can be refused with. */
export type ErrorStatus = (typeof errorTable)[ErrorCode][0]

/** Name of the shared schema that every error reply refers to. */
export const errorSchemaId = 'Error'

const exampleRequestId = 'req_8fK2mXo3QpLr7TzV1aBcD4Ef'

// Told before an operation is reached, so no outcome of one.
const codesOfNoOperation: readonly ErrorCode[] = ['route_not_found', 'method_not_allowed', 'header_too_large']

// Told by few operations, which name them.
const codesOfFewOperations: readonly ErrorCode[] = [
  'invalid_plan',
  'invalid_billing',
  'billing_account_not_found',
  'unsupported_plan_change',
  'billing_support_required',
  'billing_provider_unavailable',
]

const titles: Record<ErrorStatus, string> = {
  400: 'The request is not understood',
  401: 'There is no usable API key',
  402: 'The contact credits do not suffice',
  403: 'The key or its account may not do this',
  404: 'It does not exist',
  405: 'The path does not know the method',
  409: 'It contradicts another request, or how things stand',
  413: 'The body is too large',
  415: 'The body is not JSON',
  429: 'A limit or quota is used up',
  431: 'The headers are too large',
  500: 'Something failed inside',
  503: 'The service cannot answer now',
}

interface DocumentedReply {
  description: string
  content: { 'application/json': { schema: { $ref: string }; examples: Record<string, { value: ErrorReply }> } }
}

/**
 * The error replies of an operation for its `schema.response`, each with its codes and an example of every code. A status
 * stands for all codes that any operation may tell, a code for itself alone.
 */
export function errorReplies(...refusals: (ErrorStatus | ErrorCode)[]): Record<number, DocumentedReply> {
  const codes = refusals.flatMap((refusal) => (typeof refusal === 'number' ? codesOf(refusal) : [refusal]))
  const statuses = [...new Set(codes.map(statusOf))]
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      errorReply(
        status,
        codes.filter((code) => statusOf(code) === status),
      ),
    ]),
  )
}

const statusOf = (code: ErrorCode): ErrorStatus => errorTable[code][0]

function codesOf(status: ErrorStatus): ErrorCode[] {
  const codes = Object.keys(errorTable) as ErrorCode[]
  const leftOut = [...codesOfNoOperation, ...codesOfFewOperations]
  return codes.filter((code) => statusOf(code) === status && !leftOut.includes(code))
}

function errorReply(status: ErrorStatus, codes: readonly ErrorCode[]): DocumentedReply {
  const examples = Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }]))
  return {
    description: `${titles[status]}: ${codes.join(', ')}.`,
    content: { 'application/json': { schema: { $ref: `${errorSchemaId}#` }, examples } },
  }
}

function exampleOf(code: ErrorCode): ErrorReply {
  const { message, ...rest } = errorExamples[code]
  return { error: { type: errorTable[code][1], code, message, ...rest, request_id: exampleRequestId } }
}
