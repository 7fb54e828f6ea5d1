import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, test } from 'vitest'
import { type ReadCell, readSheet, unzip } from '../../../../../packages/workbook/test/write/read-back.ts'
import { eraseContacts } from '../../../../src/catalogue/erasure/erase-contacts.ts'
import { system } from '../../../../src/customers/auth/actor.ts'
import type { Caller } from '../../../../src/customers/auth/caller.ts'
import type { Queryable } from '../../../../src/foundation/db/pool.ts'
import { openRevealedFile } from '../../../../src/product/exports/revealed/revealed-file.ts'
import { startTestApp, type TestApp } from '../../../support/app.ts'
import type { Json, TestReply } from '../../../support/client.ts'
import { createMember, readLedger, readSpent, type TestMember } from '../../../support/members.ts'
import { addCrowd, addPeople, firstShop } from '../../contacts/support/reveals.ts'

let app: TestApp
let crowd: string[]
/** The contact ids of `addPeople` by first name. */
let idsByName: Map<string, string>
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  await addPeople(app)
  crowd = await addCrowd(app, 120)
  const { body } = await (await createMember(app)).look(`/stores/${firstShop}`)
  idsByName = new Map(body.contact_previews.map(({ id, first_name }: Json) => [first_name, id]))
})

const reveal = async (member: TestMember, ids: readonly string[]): Promise<TestReply> => {
  const reply = await member.ask('/contacts/reveal', { contact_ids: ids })
  expect(reply.status).toBe(200)
  return reply
}

/** Reveals in steps of ten, a minute apart; returns the ids newest first. */
async function revealAll(member: TestMember, ids: readonly string[]): Promise<string[]> {
  const newestFirst: string[] = []
  for (let start = 0; start < ids.length; start += 10) {
    app.clock.advance(60_000)
    const step = ids.slice(start, start + 10)
    await reveal(member, step)
    newestFirst.unshift(...step)
  }
  return newestFirst
}

/** All pages of the list. */
async function readAll(member: TestMember, query: string): Promise<Json[][]> {
  const pages: Json[][] = []
  for (let cursor = ''; ; ) {
    const { status, body } = await member.look(`/revealed?${query}${cursor}`)
    expect(status).toBe(200)
    pages.push(body.data)
    expect(body.has_more).toBe(body.next_cursor !== null)
    if (!body.has_more) return pages
    cursor = `&cursor=${body.next_cursor}`
  }
}

const idsOf = (people: Json[]): string[] => people.map(({ id }) => id)

describe('the list of revealed people', () => {
  test('has everybody once, the newest first, page by page, at no charge', async () => {
    const member = await createMember(app)
    const expected = await revealAll(member, crowd.slice(0, 65))
    const entries = await readLedger(app, member.account)
    const pages = await readAll(member, 'limit=20')
    expect(pages.map((page) => page.length)).toEqual([20, 20, 20, 5])
    const listed = idsOf(pages.flat())
    expect(new Set(listed).size).toBe(65)
    // Those of one reveal are in any order.
    for (let start = 0; start < 60; start += 10)
      expect(listed.slice(start + 5, start + 15).sort()).toEqual(expected.slice(start + 5, start + 15).sort())
    expect(await readLedger(app, member.account)).toEqual(entries)
  })

  test('a person is shown as a reveal shows them, and with who revealed them', async () => {
    const member = await createMember(app, { name: 'Ada Brandt' })
    const colleague = await createMember(app, { account: member.account, name: 'Bo Lund' })
    const key = await app.keyOf(member.account, {})
    const [mara, yuki, tomas] = ['Mara', 'Yuki', 'Tomas'].map((name) => idsByName.get(name)!)
    await reveal(member, [mara!])
    app.clock.advance(1_000)
    await reveal(colleague, [mara!, yuki!])
    app.clock.advance(1_000)
    await key.post('/contacts/reveal', { contact_ids: [tomas] })
    const { body } = await colleague.look('/revealed')
    expect(body).toMatchObject({ object: 'list', has_more: false, next_cursor: null })
    expect(idsOf(body.data)).toEqual([tomas, yuki, mara])
    expect(body.data.map((each: Json) => each.revealed_by)).toEqual([
      { kind: 'key', id: key.id, name: 'test key' },
      { kind: 'person', id: colleague.id, name: 'Bo Lund' },
      { kind: 'person', id: member.id, name: 'Ada Brandt' },
    ])
    const { revealed_by, ...listed } = body.data[2]
    expect(listed).toEqual((await reveal(member, [mara!])).body.data[0])

    await app.db.query('delete from people where id = $1', [member.number])
    await app.db.query('update reveals set key_id = null where key_id is not null and account_id = $1', [
      app.accountNumber(key.account),
    ])
    const later = (await colleague.look('/revealed')).body.data
    expect(later[0].revealed_by).toBeNull()
    expect(later[2].revealed_by).toEqual({ kind: 'person', id: member.id, name: expect.stringMatching(/removed/i) })
  })

  test('is of one account only, for members, and works without access', async () => {
    const member = await createMember(app)
    await reveal(member, crowd.slice(0, 3))
    const stranger = await createMember(app)
    expect((await stranger.look('/revealed')).body.data).toEqual([])
    const viewer = await createMember(app, { account: member.account, role: 'viewer' })
    expect((await viewer.look('/revealed')).body.error.code).toBe('insufficient_role')
    expect((await viewer.look('/revealed/file')).body.error.code).toBe('insufficient_role')
    await app.setAccount(member.account, { status: 'canceled' })
    expect((await member.look('/revealed')).body.data).toHaveLength(3)
    expect((await member.look('/revealed/file')).status).toBe(200)
  })

  test('refuses cursors of another account, another filter, and made-up ones', async () => {
    const [member, other] = [await createMember(app), await createMember(app)]
    await reveal(member, crowd.slice(0, 5))
    await reveal(other, crowd.slice(0, 5))
    const { next_cursor: cursor } = (await member.look('/revealed?limit=2')).body
    expect((await other.look(`/revealed?limit=2&cursor=${cursor}`)).body.error.code).toBe('invalid_cursor')
    const filtered = await member.look(`/revealed?search=crowd-0.example&cursor=${cursor}`)
    expect(filtered.body.error.code).toBe('invalid_cursor')
    expect((await member.look('/revealed?cursor=cur_abc')).body.error.code).toBe('invalid_cursor')
    const { body } = await member.ask('/stores/search', { filters: {}, limit: 1 })
    expect((await member.look(`/revealed?cursor=${body.next_cursor}`)).body.error.code).toBe('invalid_cursor')
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'sort=name'])
      expect((await member.look(`/revealed?${query}`)).status).toBe(400)
  })

  test('can be searched by the domain of a store', async () => {
    const member = await createMember(app)
    await revealAll(member, crowd.slice(0, 30))
    const pages = await readAll(member, 'limit=4&search=https://www.crowd-1.example/about')
    expect(pages.map((page) => page.length)).toEqual([4, 4, 2])
    expect(idsOf(pages.flat()).sort()).toEqual(crowd.slice(10, 20).sort())
    expect((await member.look('/revealed?search=nobody.example')).body.data).toEqual([])
    expect((await member.look('/revealed?search=not+a+domain')).body.error).toMatchObject({
      code: 'invalid_domain',
      param: 'search',
    })
  })
})

describe('the people of a page that are revealed', () => {
  const find = (member: TestMember, contact_ids: readonly (string | undefined)[]) =>
    member.ask('/revealed/find', { contact_ids })

  test('are found with their channels, for members of the account, at no charge and without access', async () => {
    const member = await createMember(app)
    const [mara, yuki] = ['Mara', 'Yuki'].map((name) => idsByName.get(name)!)
    await reveal(member, [mara!, crowd[0]!])
    const entries = await readLedger(app, member.account)
    const madeUp = 'ct_live_PqLmXzTbVnRwKdHc'
    const { body } = await find(await createMember(app, { account: member.account }), [mara, yuki, madeUp, mara])
    const { data } = (await member.look('/revealed')).body
    const { revealed_by, ...listed } = data.find(({ id }: Json) => id === mara)
    expect(body.data).toEqual([listed])
    expect(body.data[0].emails[0].email).toBe('mara@first-shop.example')
    expect(await readLedger(app, member.account)).toEqual(entries)
    expect((await find(await createMember(app), [mara])).body.data).toEqual([])
    const viewer = await createMember(app, { account: member.account, role: 'viewer' })
    expect((await find(viewer, [mara])).body.error.code).toBe('insufficient_role')
    const stranger = await app.person({ account: null })
    const path = `/accounts/${member.account}/revealed/find`
    expect((await stranger.post(path, { contact_ids: [mara] })).body.error.code).toBe('account_not_found')
    await app.setAccount(member.account, { status: 'canceled' })
    expect(idsOf((await find(member, [mara, crowd[0]])).body.data).sort()).toEqual([mara, crowd[0]].sort())
  })

  test('are not shown to an operator who sees as the account', async () => {
    const member = await createMember(app)
    await reveal(member, crowd.slice(0, 1))
    const operator = await app.person({ operator: true, account: null })
    expect((await operator.post('/operator/see-as', { account: member.account })).status).toBe(200)
    const reply = await operator.post(`/accounts/${member.account}/revealed/find`, { contact_ids: crowd.slice(0, 1) })
    expect(reply.body.error.code).toBe('insufficient_role')
  })

  test('are a hundred at most, and each id is one of a contact', async () => {
    const member = await createMember(app)
    for (const ids of [[], Array.from({ length: 101 }, () => crowd[0]), ['mara@first-shop.example'], ['ct_live_x']])
      expect((await find(member, ids)).status).toBe(400)
  })
})

describe('erased people', () => {
  test('do not appear, and pages stay full without them', async () => {
    const member = await createMember(app)
    const erased = await addErasable(40)
    const kept = crowd.slice(0, 20)
    await revealAll(member, [...kept.slice(0, 10), ...erased, ...kept.slice(10)])
    for (const id of erased) await eraseContacts(app.operator, { id })
    expect(await readSpent(app, member.account)).toMatchObject({ contact_credits: 60 })
    const pages = await readAll(member, 'limit=8')
    expect(pages.map((page) => page.length)).toEqual([8, 8, 4])
    expect(idsOf(pages.flat()).sort()).toEqual([...kept].sort())
    const rows = parse((await member.look('/revealed/file')).body, { columns: true }) as Json[]
    expect(idsOf(rows).sort()).toEqual([...kept].sort())
    const found = await member.ask('/revealed/find', { contact_ids: [...erased, ...kept] })
    expect(idsOf(found.body.data).sort()).toEqual([...kept].sort())
  })

  test('of thousands in a row, the list goes on with another page instead of reading them all', async () => {
    const member = await createMember(app)
    await revealAll(member, crowd.slice(0, 3))
    await insertErased(member, 5_000, app.clock.now())
    const pages = await readAll(member, 'limit=50')
    expect(pages.length).toBeGreaterThan(1)
    expect(pages.length).toBeLessThan(5)
    expect(idsOf(pages.flat()).sort()).toEqual(crowd.slice(0, 3).sort())
  })

  async function addErasable(count: number): Promise<string[]> {
    const domains = Array.from({ length: count / 10 }, (_, index) => `erasable-${index}.example`)
    await app.importStores(domains.map((domain) => ({ domain, name: domain })))
    await app.importContacts(
      Array.from({ length: count }, (_, index) => ({
        store_domain: domains[index % domains.length],
        external_id: `erasable-${index}`,
        first_name: `Erasable ${index}`,
        emails: [{ email: `person-${index}@erasable.example`, status: 'verified' }],
      })),
    )
    const { body } = await (await app.key({})).post('/contacts/search', {
      store: { domains },
      max_contacts_per_store: 10,
      limit: 100,
    })
    return idsOf(body.data)
  }
})

const header =
  'id,full_name,first_name,last_name,title,role,seniority,profile_url,email,email_status,email_type,other_emails,phone,phone_type,other_phones,store.id,store.domain,store.name,revealed_at'

describe('the file of revealed people', () => {
  test('has the columns of an export of contacts, one row for each person', async () => {
    const member = await createMember(app)
    const [mara, yuki] = [idsByName.get('Mara')!, idsByName.get('Yuki')!]
    const { body } = await reveal(member, [mara, yuki])
    const reply = await member.look('/revealed/file')
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': expect.stringMatching(/^attachment; filename="storedex-revealed-\d{4}-\d\d-\d\d\.csv"$/),
      'cache-control': 'no-store',
    })
    expect(reply.body.startsWith(`${header}\r\n`)).toBe(true)
    const rows = parse(reply.body, { columns: true, recordDelimiter: '\r\n' }) as Json[]
    const ofMara = rows.find(({ id }) => id === mara)
    const revealed = body.data.find(({ id }: Json) => id === mara)
    expect(ofMara).toEqual({
      id: mara,
      full_name: 'Mara Lindqvist',
      first_name: 'Mara',
      last_name: 'Lindqvist',
      title: 'Head of Marketing',
      role: 'marketing',
      seniority: 'decision_maker',
      profile_url: 'https://people.example/mara-lindqvist',
      email: 'mara@first-shop.example',
      email_status: 'verified',
      email_type: 'work',
      other_emails: 'mara.l@post.example',
      // Not strictly E.164, so it is treated like any text.
      phone: "'+1 202-555-0143",
      phone_type: 'office',
      other_phones: "'+1 202-555-0144",
      'store.id': revealed.store.id,
      'store.domain': firstShop,
      'store.name': 'First Shop',
      revealed_at: revealed.revealed_at,
    })
    expect(rows.find(({ id }) => id === yuki)).toMatchObject({ last_name: '山田', email: '', phone: '' })
    expect(rows).toHaveLength(2)
  })

  test('has the form that a CRM imports, the columns that were chosen, and the people of one store', async () => {
    const member = await createMember(app)
    const [mara, yuki] = [idsByName.get('Mara')!, idsByName.get('Yuki')!]
    await reveal(member, [mara, yuki])
    const hubspot = await member.look('/revealed/file?preset=hubspot')
    expect(hubspot.headers.get('content-disposition')).toMatch(/filename="storedex-revealed-hubspot-.*\.csv"/)
    expect(parse(hubspot.body, { columns: true })).toContainEqual(
      expect.objectContaining({ Email: 'mara@first-shop.example', 'First Name': 'Mara', 'Company Name': 'First Shop' }),
    )
    const bytesOf = async (query: string) => {
      const url = `${app.url}/console/api/accounts/${member.account}/revealed/file?${query}`
      const reply = await fetch(url, { headers: { cookie: member.cookie } })
      return Buffer.from(await reply.arrayBuffer()).toString()
    }
    expect(await bytesOf('preset=excel')).toMatch(new RegExp(`^\ufeff${header}`))
    const chosen = await member.look(`/revealed/file?columns=email,id&search=${firstShop}`)
    expect(parse(chosen.body, { columns: true })).toContainEqual({ email: 'mara@first-shop.example', id: mara })
    expect((await member.look('/revealed/file?search=nobody.example&columns=id')).body).toBe('id\r\n')
    const lines = (await bytesOf('format=ndjson')).trim().split('\n')
    const objects = lines.map((line) => JSON.parse(line))
    expect(objects.map(({ id }) => id).sort()).toEqual([mara, yuki].sort())
    const refused = await member.look('/revealed/file?columns=email,telephone')
    expect([refused.status, refused.body.error.code, refused.body.error.param]).toEqual([
      400,
      'invalid_column',
      'columns[1]',
    ])
    expect((await member.look('/revealed/file?search=not%20a%20domain')).body.error.code).toBe('invalid_domain')
    expect((await member.get('/export-columns')).body).toMatchObject({
      contacts: expect.arrayContaining(['email', 'store.domain', 'charged']),
      presets: { hubspot: expect.arrayContaining(['Email']) },
    })
  })

  test('as a workbook has the same cells, and times as dates', async () => {
    const member = await createMember(app)
    await reveal(member, [idsByName.get('Mara')!, idsByName.get('Yuki')!])
    const url = `${app.url}/console/api/accounts/${member.account}/revealed/file?format=xlsx`
    const reply = await fetch(url, { headers: { cookie: member.cookie } })
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      'content-disposition': expect.stringMatching(/filename="storedex-revealed-\d{4}-\d\d-\d\d\.xlsx"$/),
    })
    const [names, ...people] = readSheet(unzip(Buffer.from(await reply.arrayBuffer())).get('xl/worksheets/sheet1.xml')!)
    expect(names!.map((cell) => cell!.value).join()).toBe(header)
    const rows = parse((await member.look('/revealed/file')).body) as string[][]
    const textOf = (cell: ReadCell | null | undefined) =>
      cell?.type === 'moment' ? new Date(cell.value).toISOString() : String(cell?.value ?? '')
    expect(people.map((row) => names!.map((_, index) => textOf(row[index])))).toEqual(
      rows.slice(1).map((row) => row.map((text) => text.replace(/^'(?=\+)/, ''))),
    )
  })

  test('costs nothing, has a header alone without people, and is in the audit log', async () => {
    const member = await createMember(app)
    expect((await member.look('/revealed/file')).body).toBe(`${header}\r\n`)
    expect(await readLedger(app, member.account)).toEqual([])
    const { rows } = await app.db.query(
      'select person_id, action, details, address from audit_log where account_id = $1',
      [app.accountNumber(member.account)],
    )
    expect(rows).toEqual([
      {
        person_id: member.number,
        action: 'contacts.downloaded',
        details: { kind: 'revealed', format: 'csv', preset: null },
        address: '127.0.0.1',
      },
    ])
  })

  test('holds no formula that a spreadsheet would run', async () => {
    const member = await createMember(app)
    await app.importStores([{ domain: 'sly.example', name: '@SUM(A1)' }])
    await app.importContacts([
      {
        store_domain: 'sly.example',
        external_id: 'sly',
        first_name: '=cmd|calc',
        last_name: '-1+2',
        title: '+49 30',
        phones: [{ phone: '+4930123456' }],
      },
    ])
    const { body } = await member.look('/stores/sly.example')
    await reveal(member, idsOf(body.contact_previews))
    const file = (await member.look('/revealed/file')).body
    const [row] = parse(file, { columns: true }) as Json[]
    expect(row).toMatchObject({
      first_name: "'=cmd|calc",
      last_name: "'-1+2",
      full_name: "'=cmd|calc -1+2",
      phone: '+4930123456',
      'store.name': "'@SUM(A1)",
    })
    expect(row.title).toMatch(/^'/)
  })

  test('of many people is complete, and is read as its reader takes it', async () => {
    const member = await createMember(app)
    await importCrowd(1_500)
    const { rows } = await app.db.query(
      `insert into reveals (account_id, mode, contact_id, revealed_at)
       select $1, 'live', store_id * 4096 + number, $2 from contacts where revealable returning contact_id`,
      [app.accountNumber(member.account), app.clock.now()],
    )
    expect(parse((await member.look('/revealed/file')).body, { columns: true })).toHaveLength(rows.length)

    const { file, reads } = await openCountedFile(member)
    await once(file, 'readable')
    await untilQuiet(reads)
    expect(reads()).toBeLessThan(5)
    file.destroy()
    await untilQuiet(reads)
    expect(reads()).toBeLessThan(5)
  })

  test('is read no further once its reader is gone, also among erased people, of whom nothing is sent', async () => {
    const member = await createMember(app)
    await reveal(member, crowd.slice(0, 3))
    await insertErased(member, 5_000, '2020-01-01T00:00:00Z')
    const { file, reads } = await openCountedFile(member)
    for await (const chunk of file) if (String(chunk).includes(crowd[0]!)) break
    await untilQuiet(reads)
    expect(reads()).toBeLessThan(10)
  })
})

/** Opens the file as the route does, and counts the pages that it reads. */
async function openCountedFile(member: TestMember): Promise<{ file: Readable; reads: () => number }> {
  let reads = 0
  const query: Queryable['query'] = (statement, ...rest) => {
    if (typeof statement !== 'string' && statement.name === 'select_reveals') reads++
    return app.deps.db.query(statement, ...rest)
  }
  const ctx = {
    ...app.deps,
    db: { query },
    actor: system,
    now: app.clock.now(),
    requestId: 'req_1',
    address: '127.0.0.1',
    deliverEmails: 'all',
    caller: { accountId: app.accountNumber(member.account), mode: 'live', userId: member.number } as Caller,
  } as const
  const { file } = await openRevealedFile(ctx, {})
  return { file, reads: () => reads }
}

/** Imports people, a hundred at each store. */
async function importCrowd(count: number): Promise<void> {
  const domains = Array.from({ length: count / 100 }, (_, index) => `many-${index}.example`)
  await app.importStores(domains.map((domain) => ({ domain, name: domain })))
  await app.importContacts(
    Array.from({ length: count }, (_, index) => ({
      store_domain: domains[index % domains.length],
      external_id: `many-${index}`,
      first_name: `Many ${index}`,
      emails: [{ email: `many-${index}@post.example`, status: 'verified' }],
    })),
  )
}

/** Resolves once several statements passed during which a count stayed the same. */
async function untilQuiet(count: () => number): Promise<void> {
  for (let before = Number.NaN; before !== count(); ) {
    before = count()
    for (let index = 0; index < 20; index++) await app.deps.db.query('select 1')
  }
}

/** Reveals of people who were erased since. */
let erasedContacts = 900_000_000_000
async function insertErased(member: TestMember, count: number, revealedAt: string | Date): Promise<void> {
  await app.db.query(
    `insert into reveals (account_id, mode, contact_id, revealed_at)
     select $1, 'live', $2::bigint + n, $3::timestamptz + n * interval '1 millisecond' from generate_series(1, $4::integer) n`,
    [app.accountNumber(member.account), erasedContacts, revealedAt, count],
  )
  erasedContacts += count
}
