import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app.ts'
import type { Json } from '../../support/client.ts'
import { createMember, keyNumber, readLedger, readSpent, type TestMember } from '../../support/members.ts'
import { addCrowd, addPeople, firstShop, generous, unknownId } from '../contacts/support/reveals.ts'

let app: TestApp
let crowd: string[]
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  await addPeople(app)
  crowd = await addCrowd(app, 40)
  await app.importStores([
    {
      domain: 'formula.example',
      name: '=HYPERLINK("https://thief.example")',
      country: 'DE',
      platform_plus: true,
      lead_fit_score: 71.5,
      technologies: { apps: ['klaviyo', 'yotpo'], theme: { name: 'Dawn' } },
    },
  ])
})

async function newMember(limits: object = {}): Promise<TestMember> {
  const member = await createMember(app)
  await app.setAccount(member.account, { limits })
  return member
}

const reveal = (member: TestMember, ids: readonly string[], key?: string) =>
  member.ask('/contacts/reveal', { contact_ids: ids }, key === undefined ? {} : { 'idempotency-key': key })
const quote = async (member: TestMember, ids: readonly string[]) =>
  (await member.ask('/quotes', { for: 'reveal', contact_ids: ids })).body

describe('copying a store', () => {
  test('costs one export a period, however often and by whomever, and names who did it', async () => {
    const member = await newMember()
    const copy = await member.ask('/stores/formula.example/copy', { format: 'json' })
    expect(copy.status).toBe(200)
    await member.ask('/stores/formula.example/copy', { format: 'csv' })
    const key = await app.keyOf(member.account, {})
    const looked = await key.get('/stores/formula.example')
    expect(await readSpent(app, member.account)).toEqual({ contact_credits: 0, store_exports: 1, search_rows: 0 })
    expect(await readLedger(app, member.account)).toEqual([
      { meter: 'store_exports', amount: 1, key_id: null, person_id: member.number, request_id: copy.body.request_id },
    ])
    const { request_id, ...store } = looked.body
    expect(copy.body).toMatchObject({ object: 'store_copy', format: 'json', filename: 'formula.example.json' })
    expect(JSON.parse(copy.body.content)).toEqual(store)
  })

  test('as CSV has a header and one row that no spreadsheet runs', async () => {
    const member = await newMember()
    const { body } = await member.ask('/stores/formula.example/copy', { format: 'csv' })
    expect(body.filename).toBe('formula.example.csv')
    expect(body.content).toMatch(/^id,object,domain,name,category,.*\r\n.*\r\n$/)
    const [row, ...rest] = parse(body.content, { columns: true, recordDelimiter: '\r\n' }) as Json[]
    expect(rest).toEqual([])
    const store = JSON.parse((await member.ask('/stores/formula.example/copy', { format: 'json' })).body.content)
    expect(row).toMatchObject({
      id: store.id,
      domain: 'formula.example',
      name: `'=HYPERLINK("https://thief.example")`,
      country: 'DE',
      platform_plus: String(store.platform_plus),
      'contacts_summary.total': '0',
      'technologies.apps': store.technologies.apps.join('|'),
      'technologies.theme.name': store.technologies.theme.name ?? '',
    })
    // Every field of a store has its column.
    const pathsOf = (node: Json, path: string): string[] =>
      node !== null && typeof node === 'object' && !Array.isArray(node)
        ? Object.entries(node).flatMap(([name, value]) => pathsOf(value, path === '' ? name : `${path}.${name}`))
        : [path]
    const columns = Object.keys(row)
    const missing = pathsOf(store, '').filter((path) => !columns.some((column) => column.startsWith(path)))
    expect(missing).toEqual([])
  })

  test('without exports left, or as a viewer, is refused', async () => {
    const member = await newMember({ store_exports: 0 })
    const refused = await member.ask('/stores/formula.example/copy', { format: 'csv' })
    expect(refused.body.error).toMatchObject({ code: 'rate_limit_exceeded', param: 'store_exports' })
    const viewer = await createMember(app, { account: member.account, role: 'viewer' })
    const forbidden = await viewer.ask('/stores/formula.example/copy', { format: 'csv' })
    expect(forbidden.body.error.code).toBe('insufficient_role')
    expect((await member.ask('/stores/nobody.example/copy', { format: 'csv' })).body.error.code).toBe('store_not_found')
    expect((await member.ask('/stores/formula.example/copy', { format: 'xml' })).status).toBe(400)
  })
})

describe('a quote', () => {
  test('says what a reveal of the same people then costs', async () => {
    const member = await newMember()
    await reveal(member, crowd.slice(0, 3))
    const ids = crowd.slice(0, 10)
    const expected = await quote(member, ids)
    expect(expected).toMatchObject({
      object: 'quote',
      contacts: 10,
      credits: 7,
      already_revealed: 3,
      unrevealable: 0,
      new_exports: 0,
      credits_remaining: 997,
      credits_after: 990,
      exports_remaining: 4_999,
      exports_after: 4_999,
      sufficient: true,
    })
    const { body, headers } = await reveal(member, ids)
    expect(body.credits).toEqual({ spent: expected.credits, remaining: expected.credits_after })
    expect(headers.get('x-contact-credits-remaining')).toBe('990')
    expect(headers.get('x-store-exports-remaining')).toBe('4999')
    expect(await readSpent(app, member.account)).toMatchObject({ contact_credits: 10, store_exports: 1 })
  })

  test('counts unknown people and those without a channel apart, and a repeated id once', async () => {
    const member = await newMember()
    const store = await member.look(`/stores/${firstShop}`)
    const idOf = (name: string) => store.body.contact_previews.find((each: Json) => each.first_name === name).id
    const ids = [idOf('Mara'), idOf('Bruno'), idOf('Nobody'), unknownId(app), unknownId(app), idOf('Mara'), crowd[0]!]
    expect(await quote(member, ids)).toMatchObject({
      contacts: 2,
      credits: 2,
      unrevealable: 3,
      new_exports: 2,
    })
    const { body } = await reveal(member, ids)
    expect(body.credits.spent).toBe(2)
    expect(body.data).toHaveLength(2)
  })

  test('says when credits or exports do not suffice', async () => {
    const member = await newMember({ contact_credits: 3, store_exports: 1 })
    expect(await quote(member, crowd.slice(0, 5))).toMatchObject({
      credits: 5,
      credits_remaining: 3,
      credits_after: 0,
      sufficient: false,
    })
    expect(await quote(member, [crowd[0]!, crowd[15]!])).toMatchObject({
      credits: 2,
      new_exports: 2,
      exports_remaining: 1,
      exports_after: 0,
      sufficient: false,
    })
    expect(await quote(member, crowd.slice(0, 3))).toMatchObject({ sufficient: true, credits_after: 0 })
    expect(await readLedger(app, member.account)).toEqual([])
  })

  test('is for 1 to 1,000 people, and open to viewers', async () => {
    const viewer = await createMember(app, { role: 'viewer' })
    expect((await quote(viewer, Array(1_000).fill(crowd[0]))).contacts).toBe(1)
    const refused = await viewer.ask('/quotes', { for: 'reveal', contact_ids: Array(1_001).fill(crowd[0]) })
    expect(refused.status).toBe(400)
    expect(refused.body.error.param).toBe('contact_ids')
    expect((await viewer.ask('/quotes', { for: 'reveal', contact_ids: [] })).status).toBe(400)
  })
})

describe('a reveal in the console', () => {
  test('is that of the API: same reply, same price, one account', async () => {
    const member = await newMember()
    const key = await app.keyOf(member.account, {})
    const mine = await reveal(member, crowd.slice(0, 4))
    expect(mine.status).toBe(200)
    const theirs = await key.post('/contacts/reveal', { contact_ids: crowd.slice(2, 6) })
    expect(theirs.body.data.map((each: Json) => each.charged)).toEqual([false, false, true, true])
    expect(mine.body.data[2]).toEqual({ ...theirs.body.data[0], reveal_status: 'newly_revealed', charged: true })
    const { rows } = await app.db.query(
      'select key_id, person_id from reveals where account_id = $1 order by revealed_at, contact_id',
      [app.accountNumber(member.account)],
    )
    const [person, api] = [
      { key_id: null, person_id: member.number },
      { key_id: keyNumber(app, key), person_id: null },
    ]
    expect(rows).toEqual([...Array(4).fill(person), ...Array(2).fill(api)])
    expect((await readLedger(app, member.account)).map(({ request_id, ...entry }) => entry)).toEqual(
      expect.arrayContaining([
        { meter: 'contact_credits', amount: 4, ...person },
        { meter: 'store_exports', amount: 1, ...person },
        { meter: 'contact_credits', amount: 2, ...api },
      ]),
    )
  })

  test('is refused to a viewer before anything is read', async () => {
    const owner = await newMember()
    const viewer = await createMember(app, { account: owner.account, role: 'viewer' })
    const refused = await reveal(viewer, ['not an id'])
    expect(refused.status).toBe(403)
    expect(refused.body.error).toMatchObject({ code: 'insufficient_role', param: 'member' })
  })

  test('a repeated Idempotency-Key gets the first reply, for free, from any member', async () => {
    const member = await newMember({ contact_credits: 5 })
    const colleague = await createMember(app, { account: member.account })
    const first = await reveal(member, crowd.slice(0, 5), 'key-1')
    for (const each of [member, colleague]) {
      const replay = await reveal(each, crowd.slice(0, 5), 'key-1')
      expect(replay.body).toEqual(first.body)
      expect(replay.headers.get('idempotent-replayed')).toBe('true')
    }
    expect((await reveal(colleague, crowd.slice(5, 6), 'key-1')).body.error.code).toBe('idempotency_conflict')
    expect((await reveal(colleague, crowd.slice(5, 6), 'key-2')).status).toBe(402)
    expect(await readSpent(app, member.account)).toMatchObject({ contact_credits: 5 })
  })

  test('a repeated Idempotency-Key gets nothing once the person may not reveal any more', async () => {
    const member = await newMember()
    await reveal(member, crowd.slice(0, 2), 'mine')
    await app.person({ account: member.account, email: member.email, role: 'viewer' })
    expect((await reveal(member, crowd.slice(0, 2), 'mine')).body.error.code).toBe('insufficient_role')
    await app.person({ account: member.account, email: member.email, role: 'member' })
    expect((await reveal(member, crowd.slice(0, 2), 'mine')).status).toBe(200)
    await app.setAccount(member.account, { status: 'past_due' })
    expect((await reveal(member, crowd.slice(0, 2), 'mine')).body.error.code).toBe('api_access_required')
    await app.setAccount(member.account, { status: 'active' })
    await app.db.query('delete from members where person_id = $1', [member.number])
    expect((await reveal(member, crowd.slice(0, 2), 'mine')).body.error.code).toBe('account_not_found')
  })

  test('during a trial, a refusal leads to the console’s page', async () => {
    const trial = await app.key({
      status: 'trialing',
      trialEnds: '2026-12-01T00:00:00Z',
      limits: { ...generous, trial_contact_credits: 1 },
    })
    const member = await createMember(app, { account: trial.account })
    const { body } = await reveal(member, crowd.slice(0, 2))
    expect(body.error).toMatchObject({ code: 'insufficient_contact_credits', billing: { current_limit: 1 } })
    expect(body.error.billing.url).toMatch(/\/billing$/)
  })
})
