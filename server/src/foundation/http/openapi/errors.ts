import { allErrors, type ErrorCode } from '../../kernel/errors.ts'
import type { ErrorReply } from '../errors.ts'
import { type DocumentedCode, type ErrorExample, errorExamples } from './error-examples.ts'

/** Name of the shared schema that every error reply refers to. */
export const errorSchemaId = 'Error'

const exampleRequestId = 'req_8fK2mXo3QpLr7TzV1aBcD4Ef'

/** A way in which an operation refuses; what its example shows beside the code, where that differs from the usual. */
export interface DocumentedRefusal extends Partial<ErrorExample> {
  code: DocumentedCode
}

type DocumentedStatus = (typeof allErrors)[DocumentedCode][0]

const titles: Record<DocumentedStatus, string> = {
  400: 'The request is not understood',
  401: 'There is no usable API key',
  402: 'The contact credits do not suffice',
  403: 'The key or its account may not do this',
  404: 'It does not exist',
  405: 'The path does not know the method',
  409: 'It contradicts another request, or how things stand',
  410: 'It cannot be used any more',
  413: 'The body is too large',
  415: 'The body is not JSON',
  416: 'The range lies outside the file',
  429: 'A limit or quota is used up',
  431: 'The headers are too large',
  500: 'Something failed inside',
  503: 'The service cannot answer now',
  507: 'The disk of the server is full',
}

interface DocumentedExample {
  summary?: string
  value: ErrorReply
}

interface DocumentedReply {
  description: string
  content: { 'application/json': { schema: { $ref: string }; examples: Record<string, DocumentedExample> } }
}

/** A reply of a route, of any type. */
interface AnyReply {
  content?: { 'application/json'?: { examples?: Record<string, DocumentedExample> } }
}

/**
 * The error replies of an operation, for its `schema.response`, with an example of every refusal. A route names only what does not
 * follow from its declaration; the document adds the rest.
 */
export function errorReplies(...refusals: (DocumentedCode | DocumentedRefusal)[]): Record<number, DocumentedReply> {
  const named = distinct(refusals.map((refusal) => (typeof refusal === 'string' ? { code: refusal } : refusal)))
  const statuses = [...new Set(named.map(statusOf))].sort((a, b) => a - b)
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      errorReply(
        status,
        named.filter((refusal) => statusOf(refusal) === status),
      ),
    ]),
  )
}

/** The refusals that the replies of a route name. */
export function refusalsIn(response: unknown): DocumentedRefusal[] {
  return Object.entries((response ?? {}) as Record<string, AnyReply>)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([, reply]) => Object.values(reply.content?.['application/json']?.examples ?? {}))
    .map(({ value: { error } }) => {
      const { type: _type, request_id: _id, code, ...shown } = error
      return { code: code as DocumentedCode, ...shown }
    })
}

/** The codes of a documented reply; none of a success. */
export function codesIn(status: string, reply: unknown): ReadonlySet<string> {
  return new Set(refusalsIn({ [status]: reply }).map(({ code }) => code))
}

const statusOf = ({ code }: DocumentedRefusal): DocumentedStatus => allErrors[code][0]

/** Each code once, unless its examples are about different parameters. */
function distinct(refusals: readonly DocumentedRefusal[]): DocumentedRefusal[] {
  const known = new Map<string, DocumentedRefusal>()
  for (const refusal of refusals) {
    const { code, param, message } = refusal
    const usual = message === undefined ? errorExamples[code].param : undefined
    const name = `${code} ${param ?? usual ?? ''}`
    if (!known.has(name)) known.set(name, refusal)
  }
  return [...known.values()]
}

function errorReply(status: DocumentedStatus, refusals: readonly DocumentedRefusal[]): DocumentedReply {
  const codes = [...new Set(refusals.map(({ code }) => code))]
  const examples = Object.fromEntries(
    refusals.map((refusal): [string, DocumentedExample] => {
      const value = exampleOf(refusal)
      const [first, ...more] = refusals.filter(({ code }) => code === refusal.code)
      if (more.length === 0) return [refusal.code, { value }]
      const param = value.error.param ?? 'request'
      const name = refusal === first ? refusal.code : `${refusal.code}.${param.replace(/\W+/g, '_')}`
      return [name, { summary: `${refusal.code}: ${param}`, value }]
    }),
  )
  return {
    description: `${titles[status]}: ${codes.join(', ')}.`,
    content: { 'application/json': { schema: { $ref: `${errorSchemaId}#` }, examples } },
  }
}

function exampleOf(refusal: DocumentedRefusal): ErrorReply {
  const { code } = refusal
  // A sentence of its own comes with its own parameter, or with none.
  const { message, param, billing } = { ...(refusal.message === undefined && errorExamples[code]), ...refusal }
  const shown = { message: message!, ...(param !== undefined && { param }), ...(billing !== undefined && { billing }) }
  return { error: { type: allErrors[code][1], code, ...shown, request_id: exampleRequestId } }
}

/** What any operation answers with when the service itself fails. */
export const failures = ['internal_error', 'service_unavailable'] as const satisfies readonly ErrorCode[]
