import type { FastifyInstance } from 'fastify'
import { expect, test } from 'vitest'
import { buildApp } from '../../../src/program/app.ts'
import { operations } from '../../promises/access/support/operations.ts'
import { startTestApp } from '../../support/app.ts'

/** The public routes, each with its reason; adding one needs a decision. */
const open = [
  'GET /',
  'HEAD /',
  'GET /api/v1/openapi.json',
  'GET /console/api/openapi.json',
  'GET /docs',
  'GET /docs/',
  'GET /docs/:page',
  'GET /docs/llms.txt',
  'GET /docs/page.js',
  'GET /docs/search',
  'GET /docs/scalar.js',
  'GET /docs/start.js',
  'GET /healthz',
  'GET /llms.txt',
  'GET /openapi.json',
  'GET /readyz',
  // Return pages of the payment provider's links; they contain no data.
  'GET /billing/canceled',
  'GET /billing/done',
  'GET /billing/test',
  // The link is signed.
  'GET /billing/trial',
  'HEAD /billing/trial',
  'POST /billing/trial',
  // The payload is signed.
  'POST /webhooks/stripe',
]

/** Routes that need a key and are no operations of the document. */
const withKey = ['POST /mcp']

/** The routes of a running app as `METHOD /path`, from Fastify's printed tree. */
function routesOf(app: FastifyInstance): string[] {
  const above: string[] = []
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent, segment, methods] = /^([│ ]*)[├└]── (\S+)(?: \(([A-Z, ]+)\))?/.exec(line) ?? []
      if (indent === undefined || segment === undefined) return []
      above.length = indent.length / 4
      above.push(segment)
      return (methods?.split(', ') ?? []).map((method) => `${method} ${above.join('')}`)
    })
}

test('every route is an operation of the published document or deliberately public', async () => {
  const { deps } = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  const app = await buildApp(deps)
  const served = routesOf(app)
  const { consoleRoutes } = app
  await app.close()
  const published = Object.keys(operations).map((name) => {
    const [method, path] = name.split(' ')
    return `${method} /api/v1${path!.replace(/\{(\w+)\}/g, ':$1')}`
  })
  // Each of these declares who may call it; `people/guard.test.ts` calls all of them.
  const ofConsole = consoleRoutes.map(({ method, url }) => `${method} ${url}`)
  expect(served.sort()).toEqual([...published, ...open, ...withKey, ...ofConsole].sort())
})
