import { beforeAll, describe, expect, test } from 'vitest'
import { eraseContacts } from '../../../src/catalogue/erasure/erase-contacts.ts'
import { contactKey } from '../../../src/foundation/kernel/ids.ts'
import { reveal } from '../../product/contacts/support/reveals.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import { countLockWaits } from '../../support/database.ts'
import { TableGate } from '../../support/gate.ts'
import { contactIdOf, externalIdsAt, peopleAt, tryImportContacts } from './support/people.ts'

let app: TestApp
let key: TestKey
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-21T12:00:00Z' })
  key = await app.key({ limits: { requests_per_minute: 10_000 } })
})

let shops = 0
/** Imports a new store and returns its domain. */
async function newShop(country = 'DE'): Promise<string> {
  const domain = `erasing-${++shops}.example`
  await app.importStores([{ domain, name: 'A shop', country }])
  return domain
}

const erase = (erased: { id: string } | { email: string }) => eraseContacts(app.operator, erased)

/** A contact record whose external id, email and profile contain `name`. */
function person(store_domain: string, name: string, more: object = {}) {
  return {
    store_domain,
    external_id: name,
    first_name: 'Somebody',
    last_name: 'Somewhere',
    emails: [{ email: `${name}@mail.example`, status: 'verified', type: 'work' }],
    profile_url: `https://people.example/in/${name}`,
    ...more,
  }
}

test('an erased contact is deleted, and the summary and search of the store no longer include it', async () => {
  const shop = await newShop()
  await app.importContacts([
    person(shop, 'anna', { role: 'founder', seniority: 'executive' }),
    person(shop, 'bert', { role: 'sales' }),
  ])
  expect(await erase({ id: await contactIdOf(app, shop, 'anna') })).toEqual({ erased: 1 })
  expect(await externalIdsAt(app, shop)).toEqual(['bert'])
  const { body: store } = await key.get(`/stores/${shop}`)
  expect(store.contacts_summary).toEqual({
    total: 1,
    has_revealable_contacts: true,
    verified_email_count: 1,
    roles: ['sales'],
  })
  const founders = { store: { domains: [shop] }, person: { roles_any: ['founder'] } }
  expect((await key.post('/contacts/search', founders)).body.data).toEqual([])
})

test('an import that brings somebody while they are erased does not bring them back', async () => {
  const [shop, other] = [await newShop(), await newShop()]
  await app.importContacts([person(shop, 'dora')])
  // The erasure waits to delete the person; their email is suppressed in its transaction alone.
  const gate = await TableGate.close(app.deps.databaseUrl, 'contacts')
  const erasing = erase({ email: 'dora@mail.example' })
  await gate.waiting()
  const importing = tryImportContacts(app, [person(other, 'dora')])
  await expect.poll(() => countLockWaits(app.db)).toBe(2)
  await gate.open()
  expect(await erasing).toEqual({ erased: 1 })
  await importing
  expect([...(await externalIdsAt(app, shop)), ...(await externalIdsAt(app, other))]).toEqual([])
})

test('an erasure writes one batch', async () => {
  const [shop, other] = [await newShop(), await newShop()]
  await app.importContacts([person(shop, 'cleo'), person(other, 'cleo')])
  const batches = async () => {
    const { rows } = await app.db.query(
      `select (select batch from catalogue_state) as newest,
              array(select batch::integer from stores where id in (select store_id from store_domains where host = any ($1))) as stores`,
      [[shop, other]],
    )
    return rows[0] as { newest: number; stores: number[] }
  }
  const before = await batches()
  expect(await erase({ id: await contactIdOf(app, shop, 'cleo') })).toEqual({ erased: 2 })
  const newest = before.newest + 1
  expect(await batches()).toEqual({ newest, stores: [newest, newest] })
})

describe('an erasure', () => {
  test('includes contacts with the same address in any spelling', async () => {
    const [shop, other] = [await newShop(), await newShop()]
    await app.importContacts([
      person(shop, 'dora', { emails: [{ email: 'D.O.R.A+shops@googlemail.com' }], profile_url: null }),
      person(other, 'dora-2', {
        emails: [{ email: 'x@mail.example' }, { email: 'dora@GMAIL.com' }],
        profile_url: null,
      }),
      person(other, 'dorothea'),
    ])
    expect(await erase({ email: 'Dora <dora@gmail.com>' })).toEqual({ erased: 2 })
    expect(await externalIdsAt(app, shop, other)).toEqual(['dorothea'])
  })

  test('includes contacts that share a profile or mailbox at other stores, directly or through others', async () => {
    const [a, b, c] = [await newShop(), await newShop(), await newShop()]
    const emails = (name: string) => ({ emails: [{ email: `${name}@mail.example` }] })
    await app.importContacts([
      person(a, 'emil'),
      person(b, 'emil', { ...emails('emil.b'), profile_url: 'http://de.people.example/in/EMIL/?utm_source=x' }),
      person(c, 'emil', { ...emails('EMIL.B'), profile_url: null }),
      person(c, 'other'),
    ])
    expect(await erase({ id: await contactIdOf(app, a, 'emil') })).toEqual({ erased: 3 })
    expect(await externalIdsAt(app, a, b, c)).toEqual(['other'])
  })

  test('does not include contacts that only share a phone, a role mailbox or a homepage', async () => {
    const shop = await newShop()
    const shared = {
      phones: [{ phone: '030 555 0100' }],
      profile_url: 'https://www.erasing.example/',
    }
    await app.importContacts([
      person(shop, 'fay', {
        ...shared,
        emails: [{ email: 'office-1@mail.example', type: 'role' }, { email: 'info@erasing.example' }],
      }),
      person(shop, 'finn', {
        ...shared,
        emails: [{ email: 'office-1@mail.example', type: 'role' }, { email: 'INFO@erasing.example' }],
      }),
    ])
    expect(await erase({ id: await contactIdOf(app, shop, 'fay') })).toEqual({ erased: 1 })
    expect(await externalIdsAt(app, shop)).toEqual(['finn'])
    // Identities that finn has too are not suppressed.
    const next = { ...person(shop, 'next'), ...shared, emails: [{ email: 'office-1@mail.example' }] }
    expect(await tryImportContacts(app, [next])).toMatchObject({ inserted: 1, rejected: 0 })
  })

  test('does not include sandbox contacts', async () => {
    const domain = 'erasing-sandbox.example'
    const shop = await newShop()
    await app.db.query(
      `with made as (
         insert into stores (mode, batch, negated_score, tokens, document, document_version, preview)
         select 'test', batch, negated_score, '{}', document, document_version, preview
         from stores where id = (select store_id from store_domains where host = $1) returning id)
       insert into store_domains (mode, host, store_id, canonical) select 'test', $2, id, true from made`,
      [shop, domain],
    )
    await tryImportContacts(app, [person(domain, 'gina')], 'test')
    await app.importContacts([person(shop, 'gina')])
    const [sandboxed] = await peopleAt(app, domain, 'test')
    await expect(erase({ id: sandboxed!.id })).rejects.toThrow(/sandbox/)
    expect(await erase({ email: 'gina@mail.example' })).toEqual({ erased: 1 })
    expect(await peopleAt(app, domain, 'test')).toHaveLength(1)
    expect(await tryImportContacts(app, [person(domain, 'gina', { title: 'Boss' })], 'test')).toMatchObject({
      updated: 1,
    })
  })
})

describe('an erased person is refused by imports', () => {
  test.each([
    ['the same record', {}],
    ['the email in another spelling', { external_id: 'x', emails: [{ email: 'HANS-%d@Mail.Example.' }] }],
    ['the phone in its national spelling', { external_id: 'x', emails: [], phones: [{ phone: '(030) 555 02%d' }] }],
    [
      'the profile by another link',
      { external_id: 'x', emails: [], profile_url: 'http://people.example/in/Hans-%d?trk=1' },
    ],
    ['the same import key', { emails: [{ email: 'fresh-%d@mail.example' }], profile_url: null, phones: [] }],
  ])('with %s', async (_, spelling) => {
    const shop = await newShop()
    const name = `hans-${shops + 10}`
    const phone = { phones: [{ phone: `+49 30 555 02${shops + 10}` }] }
    await app.importContacts([person(shop, name, phone)])
    await erase({ id: await contactIdOf(app, shop, name) })
    const respelled = JSON.parse(JSON.stringify(spelling).replaceAll('%d', String(shops + 10)))
    const blank =
      respelled.external_id === 'x'
        ? { store_domain: shop, external_id: 'x', first_name: 'H' }
        : person(shop, name, phone)
    const { rejected, inserted, rejects } = await tryImportContacts(app, [{ ...blank, ...respelled }])
    expect({ rejected, inserted }).toEqual({ rejected: 1, inserted: 0 })
    expect(rejects).toEqual([{ line: 1, reason: expect.stringContaining('is suppressed'), record: null }])
    expect(await externalIdsAt(app, shop)).toEqual([])
  })

  test('also by an import that is running during the erasure', async () => {
    const shop = await newShop()
    const crowd = Array.from({ length: 300 }, (_, index) => person(shop, `ida-${index}`))
    const [, { erased }] = await Promise.all([tryImportContacts(app, crowd), erase({ email: 'ida-299@mail.example' })])
    expect(erased).toBeLessThanOrEqual(1)
    expect(await externalIdsAt(app, shop)).not.toContain('ida-299')
  })

  test('also by an address that no stored contact has', async () => {
    const shop = await newShop()
    expect(await erase({ email: 'jo@mail.example' })).toEqual({ erased: 0 })
    expect(await tryImportContacts(app, [person(shop, 'jo')])).toMatchObject({ inserted: 0, rejected: 1 })
  })
})

describe('an erased contact that was revealed before', () => {
  test('stays in reveals and usage as a number, but is not delivered again', async () => {
    const shop = await newShop()
    await app.importContacts([person(shop, 'kim'), person(shop, 'kurt')])
    const caller = await app.key({})
    const [kim, kurt] = await peopleAt(app, shop)
    expect((await reveal(caller, [kim!.id, kurt!.id])).status).toBe(200)
    await erase({ id: kim!.id })

    const again = await reveal(caller, [kim!.id, kurt!.id])
    expect(again.body.data.map((contact: { id: string }) => contact.id)).toEqual([kurt!.id])
    expect((await reveal(caller, [kim!.id])).status).toBe(404)
    const previews = await caller.post('/contacts/search', { store: { domains: [shop] }, max_contacts_per_store: 10 })
    expect(previews.body.data.map((preview: { id: string }) => preview.id)).toEqual([kurt!.id])
    const { rows } = await app.db.query('select contact_id from reveals where account_id = $1 order by 1', [
      app.accountNumber(caller.account),
    ])
    expect(rows.map((row) => row.contact_id)).toEqual([kim!.key, kurt!.key])
    expect((await caller.get('/usage')).body.contact_credits.used).toBe(2)
  })

  test('is removed with the kept replies that contain it, and its number is not reused', async () => {
    const shop = await newShop()
    await app.importContacts([person(shop, 'lea'), person(shop, 'liv')])
    const caller = await app.key({})
    const [lea, liv] = await peopleAt(app, shop)
    await reveal(caller, [lea!.id, liv!.id], 'both')
    await reveal(caller, [liv!.id], 'liv')
    await erase({ id: lea!.id })
    const { rows } = await app.db.query('select contact_ids::integer[] from idempotency where account_id = $1', [
      app.accountNumber(caller.account),
    ])
    expect(rows).toEqual([{ contact_ids: [liv!.key] }])

    const retried = await reveal(caller, [lea!.id, liv!.id], 'both')
    expect(retried.headers.get('idempotent-replayed')).toBeNull()
    expect(retried.body.data).toHaveLength(1)
    await app.importContacts([person(shop, 'lotte')])
    expect((await peopleAt(app, shop)).map(({ key }) => key)).not.toContain(lea!.key)
  })

  test('is not in a kept reply of a concurrent reveal', async () => {
    const shop = await newShop()
    const names = Array.from({ length: 8 }, (_, index) => `mia-${index}`)
    await app.importContacts(names.map((name) => person(shop, name)))
    const caller = await app.key({ limits: { requests_per_minute: 10_000 } })
    const people = await peopleAt(app, shop)
    await Promise.all(
      people.flatMap(({ id }, index) => [
        reveal(
          caller,
          people.map((each) => each.id),
          `all-${index}`,
        ),
        erase({ id }),
      ]),
    )
    const { rows } = await app.db.query('select from idempotency where account_id = $1', [
      app.accountNumber(caller.account),
    ])
    expect(rows).toEqual([])
    expect(await peopleAt(app, shop)).toEqual([])
  })
})

describe('an erasure is refused with one sentence', () => {
  test.each([
    ['st_live_AbCdEfGhIjKlMnOp', /not a contact id/],
    ['nonsense', /not a contact id/],
  ])('for %s, which is not a contact id', async (id, sentence) => {
    await expect(erase({ id })).rejects.toThrow(sentence)
  })

  test('for an unknown id and for an id that is already erased', async () => {
    const unknown = app.deps.ids.seal('contact', contactKey(987_654, 1), 'live')
    await expect(erase({ id: unknown })).rejects.toThrow(`There is no contact ${unknown}.`)
    const shop = await newShop()
    await app.importContacts([person(shop, 'nora')])
    const id = await contactIdOf(app, shop, 'nora')
    await erase({ id })
    await expect(erase({ id })).rejects.toThrow(`${id} is already erased.`)
  })
})
