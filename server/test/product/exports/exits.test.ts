import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import { createMember, keyNumber, type TestMember } from '../../support/members.ts'
import { download, run } from './support.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  await app.importStores([{ domain: 'formula.example' }, { domain: 'aurora.example' }])
  await app.importContacts([{ store_domain: 'formula.example', emails: [{ email: 'ada@formula.example' }] }])
})

const stores = { kind: 'stores', filters: {}, max_rows: 2 }
const contacts = { kind: 'contacts', person: {}, max_rows: 2, max_credits: 2 }

async function exitsOf(account: string) {
  const { rows } = await app.db.query(
    `select action, actor, person_id, key_id, details from audit_log
     where account_id = $1 and (action like '%.downloaded' or action = 'export.created') order by entry`,
    [app.accountNumber(account)],
  )
  return rows
}

describe('what is taken out as a file is in the audit log', () => {
  test('of an export by a key, which names the key, the kind and the rows', async () => {
    const key = await app.key({ scopes: ['stores:read', 'exports:manage'] })
    const { id } = await run(key, stores)
    for (const headers of [{}, { range: 'bytes=0-9' }, { range: 'bytes=10-' }]) await download(app, key, id, headers)
    const taken = { action: 'export.downloaded', details: { kind: 'stores', rows: 2, bytes: expect.any(Number) } }
    const by = { actor: 'key', person_id: null, key_id: keyNumber(app, key) }
    expect(await exitsOf(key.account)).toEqual([
      { ...by, action: 'export.created', details: { kind: 'stores', max_rows: 2 } },
      { ...by, ...taken },
      // A part that begins later continues one of these.
      { ...by, ...taken },
    ])
  })

  test('of the ledger, by a member', async () => {
    const member = await createMember(app, { role: 'viewer' })
    expect((await member.look('/ledger/file?meter=search_rows')).status).toBe(200)
    expect(await exitsOf(member.account)).toEqual([
      {
        ...{ action: 'ledger.downloaded', actor: 'member', person_id: member.number, key_id: null },
        details: { mode: 'live', meter: 'search_rows' },
      },
    ])
  })
})

describe('ten minutes after signing in', () => {
  const ask = (member: TestMember, body: object) => member.ask('/exports', body)

  test('an export with channels asks to sign in again, and one of stores does not', async () => {
    const member = await createMember(app)
    app.clock.advance(10 * 60_000)
    expect(await ask(member, contacts)).toMatchObject({
      status: 403,
      body: { error: { code: 'fresh_sign_in_required' } },
    })
    expect((await ask(member, stores)).status).toBe(201)
    expect((await exitsOf(member.account)).map(({ details }) => details.kind)).toEqual(['stores'])
  })

  test('a key exports contacts as before', async () => {
    const key: TestKey = await app.key({ scopes: ['contacts:reveal', 'exports:manage'] })
    app.clock.advance(10 * 60_000)
    expect((await key.post('/exports', contacts)).status).toBe(201)
  })
})
