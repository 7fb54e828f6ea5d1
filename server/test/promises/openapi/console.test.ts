import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { generateOperations } from '../../../../console/generate-types.mjs'
import { deedKinds } from '../../../src/customers/auth/access.ts'
import type { ConsoleRoute } from '../../../src/doors/console/guard.ts'
import { buildApp } from '../../../src/program/app.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { atEnd } from '../../support/cleanup.ts'
import type { Json } from '../../support/client.ts'

const project = join(import.meta.dirname, '../../../..')
const documentPath = join(project, 'openapi/console.json')

interface Operation {
  operationId?: string
  summary?: string
  tags?: string[]
  security?: object[]
  responses: Record<string, { description: string; content?: { 'application/json'?: { examples: object } } }>
}

let app: TestApp
let routes: ConsoleRoute[]
let text: string
let operations: Map<string, Operation>
let tags: string[]
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  const unstarted = await buildApp(app.deps)
  routes = unstarted.consoleRoutes
  await unstarted.close()
  const document = (await (await fetch(`${app.url}/console/api/openapi.json`)).json()) as Json
  text = `${JSON.stringify(document, null, 2)}\n`
  tags = document.tags.map((tag: { name: string }) => tag.name)
  operations = new Map(
    Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
    ),
  )
})

describe("the document of the console's own API", () => {
  test('is the committed one; run this test with -u to accept a change', async () => {
    await expect(text).toMatchFileSnapshot(documentPath)
  })

  test('describes every route of the console, with an id, a summary and a tag', () => {
    expect([...operations.keys()].sort()).toEqual(routes.map(nameOf).sort())
    const ids = [...operations.values()].map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(operations.size)
    for (const [name, { operationId, summary, tags: own = [] }] of operations) {
      expect(operationId, name).toMatch(/^[a-z]\w+$/)
      expect(summary, name).toMatch(/^\S.+$/)
      expect(own, name).toHaveLength(1)
      expect(tags, name).toEqual(expect.arrayContaining(own))
    }
  })

  test('says who needs a session, and every refusal of the guard with an example', () => {
    for (const route of routes) {
      const { security, responses } = operations.get(nameOf(route))!
      const { door, access } = route
      const isFresh = typeof access.kind === 'function' || deedKinds[access.kind].fresh
      expect(security, nameOf(route)).toEqual(door === 'anyone' ? [] : undefined)
      const codes = Object.values(responses).flatMap(({ content }) =>
        Object.keys(content?.['application/json']?.examples ?? {}),
      )
      expect(codes, nameOf(route)).toEqual(
        expect.arrayContaining([
          ...(door === 'anyone' ? [] : ['not_signed_in']),
          ...(door === 'member' ? ['account_not_found'] : []),
          ...(route.method === 'GET' ? [] : ['cross_site_request']),
          ...(isFresh ? ['fresh_sign_in_required'] : []),
          ...(door === 'member' && access.member?.needsAccess ? ['api_access_required'] : []),
          'service_unavailable',
        ]),
      )
    }
  })

  test('is a 304 for a matching ETag, and needs no session', async () => {
    const url = `${app.url}/console/api/openapi.json`
    const { status, headers } = await fetch(url)
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-cache'])
    expect((await fetch(url, { headers: { 'if-none-match': headers.get('etag')! } })).status).toBe(304)
  })
})

describe("the browser's types", () => {
  test('of console are those of the document; run this test with -u to write them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'storedex-openapi-'))
    atEnd(() => rmSync(folder, { recursive: true, force: true }))
    const document = join(folder, 'console.json')
    writeFileSync(document, await (await fetch(`${app.url}/console/api/openapi.json`)).text())
    await expect(await generateOperations(document)).toMatchFileSnapshot(
      join(project, 'console/src/api/generated/console.ts'),
    )
  })
})

/** `GET /session`, as the document names operations. */
function nameOf({ method, url }: ConsoleRoute): string {
  return `${method} ${url.replace('/console/api', '').replace(/:(\w+)/g, '{$1}')}`
}
