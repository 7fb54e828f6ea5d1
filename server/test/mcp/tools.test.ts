import { beforeAll, describe, expect, test } from 'vitest'
import { scopes } from '../../src/auth/caller.ts'
import { addCrowd, generous } from '../contacts/support/reveals.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { connectClient, textOf } from './support.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  await addCrowd(app, 30)
})

const newKey = (more: object = {}) => app.key({ scopes, limits: { ...generous, ...more } })

describe('tools', () => {
  test('answer with rows, and with the same as data', async () => {
    const client = await connectClient(app, await newKey())
    const found = await client.callTool({ name: 'search_stores', arguments: { filters: {}, limit: 2 } })
    expect(found.structuredContent).toMatchObject({ data: [{ domain: 'crowd-0.example' }, {}], has_more: true })
    expect(textOf(found)).toMatch(/^2 stores\. There are more\.\n.*cursor: cur_\S+\n<catalogue-data>\n\{.*\}\n\{.*\}\n/)
  })

  test('refuse with the sentence and the code of the API', async () => {
    const client = await connectClient(app, await newKey())
    const refused = await client.callTool({ name: 'search_stores', arguments: { filters: {}, filterz: {} } })
    expect(refused.isError).toBe(true)
    expect(textOf(refused)).toMatch(
      /^filterz is not a parameter of this request\.\ncode: unknown_parameter\nparam: filterz\n/,
    )
  })
})
