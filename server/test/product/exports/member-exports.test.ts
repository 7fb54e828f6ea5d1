import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app.ts'
import type { TestReply } from '../../support/client.ts'
import { createMember, readLedger, readSpent, type TestMember } from '../../support/members.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  const shops = Array.from({ length: 6 }, (_, index) => `shop-${index}.example`)
  await app.importStores(shops.map((domain) => ({ domain, name: domain, country: 'DE' })))
  await app.importContacts(
    shops.map((store_domain, index) => ({
      store_domain,
      external_id: `p${index}`,
      first_name: 'Mara',
      last_name: 'Lindqvist',
      role: 'marketing',
      emails: [{ email: `mara@${store_domain}`, status: 'verified', is_primary: true }],
    })),
  )
})

const people = { kind: 'contacts', person: { roles_any: ['marketing'] }, max_rows: 4, max_credits: 4 }

async function endOf(member: TestMember, { body }: TestReply): Promise<TestReply['body']> {
  expect(body).toMatchObject({ object: 'export' })
  const path = `/exports/${body.id}`
  await expect.poll(async () => (await member.look(path)).body.finished_at, { timeout: 20_000 }).toBeTruthy()
  return (await member.look(path)).body
}

const download = (member: TestMember, id: string, headers = {}) =>
  fetch(`${app.url}/console/api/accounts/${member.account}/exports/${id}/file`, {
    headers: { cookie: member.cookie, ...headers },
  })

describe('an export by a person', () => {
  test('is started once for a key, paid by the account, and names the person', async () => {
    const member = await createMember(app)
    const quote = await member.ask('/quotes', { for: 'export', ...people })
    expect(quote.body).toMatchObject({ contacts: 4, credits: 4, new_exports: 4, sufficient: true })
    expect(await readSpent(app, member.account)).toMatchObject({ contact_credits: 0, store_exports: 0 })
    const body = { ...people, preset: 'hubspot', quote: undefined }
    const key = { 'idempotency-key': crypto.randomUUID() }
    const first = await member.ask('/exports', body, key)
    expect(first.status).toBe(201)
    const again = await member.ask('/exports', body, key)
    expect([again.body.id, again.headers.get('idempotent-replayed')]).toEqual([first.body.id, 'true'])
    expect(await endOf(member, first)).toMatchObject({
      status: 'ready',
      stopped_by: 'max_rows',
      cost: { contact_credits: 4, store_exports: 4 },
      file: { rows: 4 },
    })
    expect(await readSpent(app, member.account)).toMatchObject({ contact_credits: 4, store_exports: 4, search_rows: 0 })
    const spenders = new Set((await readLedger(app, member.account)).map(({ person_id }) => person_id))
    expect(spenders).toEqual(new Set([member.number]))
    expect((await member.look('/exports')).body).toMatchObject({ data: [{ id: first.body.id }], has_more: false })
  })

  test('gives its file to members, in ranges too, and keeps it out of caches', async () => {
    const member = await createMember(app)
    const { id } = await endOf(member, await member.ask('/exports', { ...people, preset: 'hubspot' }))
    const whole = await download(member, id)
    const text = await whole.text()
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': expect.stringContaining('attachment; filename='),
      'accept-ranges': 'bytes',
    })
    expect(text.startsWith('Email,First Name')).toBe(true)
    const part = await download(member, id, { range: 'bytes=6-', 'if-range': whole.headers.get('etag')! })
    expect([part.status, await part.text()]).toEqual([206, text.slice(6)])
    expect((await download(member, id, { range: 'bytes=999999-' })).status).toBe(416)
    const viewer = await createMember(app, { account: member.account, role: 'viewer' })
    expect((await viewer.look(`/exports/${id}`)).body.status).toBe('ready')
    expect((await download(viewer, id)).status).toBe(403)
    const stranger = await createMember(app)
    expect((await stranger.look(`/exports/${id}`)).body.error.code).toBe('export_not_found')
    expect((await download(stranger, id)).status).toBe(404)
    // What was paid is theirs without a plan, too.
    await app.setAccount(member.account, { status: 'canceled' })
    expect((await download(member, id)).status).toBe(200)
    expect((await member.ask('/exports', people)).status).toBe(403)
    const canceled = await member.ask(`/exports/${id}/cancel`, {})
    expect([canceled.status, canceled.body.status]).toEqual([200, 'ready'])
  })

  test('can be deleted by members, without access too, with an entry of the audit log', async () => {
    const member = await createMember(app)
    await app.setAccount(member.account, { limits: { ready_exports: 1 } })
    const stores = { kind: 'stores', filters: {}, max_rows: 3 }
    const { id, file } = await endOf(member, await member.ask('/exports', stores))
    const refused = await member.ask('/exports', stores)
    expect(refused).toMatchObject({ status: 429, body: { error: { param: 'exports' } } })
    expect(refused.body.error.message).toContain(`${id} of 2026-11-10`)
    expect((await member.look('/usage')).body.kept_exports).toMatchObject({ files: 1, files_limit: 1 })
    const viewer = await createMember(app, { account: member.account, role: 'viewer' })
    const path = `/accounts/${member.account}/exports/${id}`
    expect((await viewer.delete(path)).status).toBe(403)
    await app.setAccount(member.account, { status: 'canceled' })
    expect(await member.delete(path)).toMatchObject({ status: 200, body: { status: 'expired', file: null } })
    expect((await member.delete(path)).status).toBe(200)
    expect((await download(member, id)).status).toBe(410)
    const { rows } = await app.db.query(
      "select action, person_id, target, details from audit_log where account_id = $1 and action like 'export.%'",
      [app.accountNumber(member.account)],
    )
    const [taken, by] = [
      { kind: 'stores', rows: 3, bytes: file.bytes },
      { person_id: member.number, target: id },
    ]
    expect(rows).toEqual([
      { ...by, action: 'export.created', details: { kind: 'stores', max_rows: 3 } },
      { ...by, action: 'export.deleted', details: taken },
    ])
    expect((await member.look('/usage')).body.kept_exports).toMatchObject({ files: 0, bytes: 0 })
  })
})
