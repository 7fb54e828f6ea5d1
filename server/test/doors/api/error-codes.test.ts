import { beforeAll, describe, expect, test } from 'vitest'
import { type Scope, scopes } from '../../../src/customers/auth/caller.ts'
import type { RawReply } from '../../foundation/http/support/test-server.ts'
import { operations } from '../../promises/access/support/operations.ts'
import { createProvocations, type Documented } from './support/provocations.ts'
import { requestNeeding, startWorld, type World } from './support/world.ts'

interface DocumentedReply {
  headers: Record<string, object>
  content?: Record<string, { examples?: Record<string, { value: { error: Record<string, string> } }> }>
}

interface Operation {
  operationId: string
  description: string
  security: { bearerKey: Scope[] }[]
  responses: Record<string, DocumentedReply>
}

/** A defect and a failing machine: what causes them is in `envelope.test.ts` and in the tests of faults. */
const notProvoked = new Set(['internal_error', 'service_unavailable'])
/** What the examples say of a moment, or of one of several causes, which a test cannot make. */
const sentencesOfMoments = new Set(['invalid_api_key', 'invalid_column', 'invalid_filter_value'])

let world: World
let provocations: Awaited<ReturnType<typeof createProvocations>>
let documented: Map<string, Operation>
beforeAll(async () => {
  world = await startWorld()
  provocations = await createProvocations(world)
  const { body } = await world.app.anon.get('/openapi.json')
  documented = new Map(
    Object.entries<Record<string, Operation>>(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, each]) => [`${method.toUpperCase()} ${path}`, each] as const),
    ),
  )
})

const errorsOf = (name: string): Documented[] =>
  Object.entries(documented.get(name)!.responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, { content }]) =>
      Object.values(content!['application/json']!.examples!).map(({ value: { error } }) => ({
        id: documented.get(name)!.operationId,
        operation: operations[name]!,
        status: Number(status),
        code: error.code!,
        param: error.param,
        message: error.message!,
      })),
    )

/** A sentence without its figures and quotations. */
const patternOf = (message: string) =>
  message
    .replace(/"[^"]*"|\S+\.example|\b(pro|business)\b/g, '""')
    .replace(/\d[\d,.-]*/g, '#')
    .replace(/\b(credit)s?|\b(is|are)\b/g, '$1')

const limitHeaders = ['ratelimit', 'ratelimit-policy', 'x-ratelimit-limit', 'x-ratelimit-remaining']

/** The headers of a reply that a document would describe. */
function expectDocumentedHeaders(name: string, { status, headers }: RawReply): void {
  const described = Object.keys(documented.get(name)!.responses[status]!.headers).map((each) => each.toLowerCase())
  const sent = [...headers.keys()].filter((each) =>
    /^(x-(request-id|ratelimit|search|store|contact)|ratelimit|retry-after|www-|etag|accept-ranges|content-(range|disp))/.test(
      each,
    ),
  )
  expect(
    sent.filter((each) => !described.includes(each)),
    `${name} ${status}`,
  ).toEqual([])
  if (status < 400 || status === 401 || status === 413 || status === 415) {
    const isOptional = (each: string) =>
      /^(x-search-end|x-search-rows|idempotent-replayed|x-contact-credits)/.test(each)
    expect(
      described.filter((each) => !sent.includes(each) && !isOptional(each)),
      `${name} ${status}`,
    ).toEqual([])
  }
}

describe.each(Object.keys(operations))('%s', (name) => {
  test('answers as its document says, with every code that it lists', async () => {
    const wrong: object[] = []
    const statusesWithLimits = new Map<number, boolean>()
    for (const error of errorsOf(name)) {
      if (notProvoked.has(error.code)) continue
      const reply = await provocations[error.code]!(error)
      const { code, param, message } = JSON.parse(reply.body || '{}').error ?? {}
      const expected = [error.status, error.code, error.param]
      const found = [reply.status, code, param]
      const isSaid = sentencesOfMoments.has(error.code) || patternOf(message ?? '') === patternOf(error.message)
      if (JSON.stringify(found) !== JSON.stringify(expected) || !isSaid)
        wrong.push({ expected, found, says: error.message, said: message })
      else {
        expectDocumentedHeaders(name, reply)
        const hasLimits = limitHeaders.every((each) => reply.headers.has(each))
        statusesWithLimits.set(reply.status, hasLimits || (statusesWithLimits.get(reply.status) ?? false))
      }
    }
    expect(wrong).toEqual([])
    for (const [status, isSent] of statusesWithLimits)
      expect([status, 'RateLimit' in documented.get(name)!.responses[status]!.headers]).toEqual([status, isSent])
  })

  test('is allowed to a key with the scopes that its document names, and to none that lacks one', async () => {
    const { operationId, security, description } = documented.get(name)!
    const all = new Set(security.flatMap(({ bearerKey }) => bearerKey))
    for (const { bearerKey } of security) {
      for (const scope of bearerKey) expect(description).toContain(`\`${scope}\``)
      const request = requestNeeding(operationId, bearerKey, world)
      const ask = async (held: readonly Scope[]) => {
        const { secret } = await world.app.keyOf(world.key.account, { scopes: held })
        return world.send(operations[name]!, { ...request, key: secret })
      }
      const granted = await ask(bearerKey)
      expect([operationId, bearerKey, granted.status, granted.body]).not.toContain(403)
      if (granted.status < 300) expectDocumentedHeaders(name, granted)
      for (const scope of bearerKey) {
        const refused = await ask(scopes.filter((each) => each !== scope))
        expect([operationId, scope, refused.status]).toEqual([operationId, scope, 403])
      }
    }
    expect(all.has(operations[name]!.scope)).toBe(true)
  })
})
