import { beforeAll, describe, expect, test } from 'vitest'
import { contactKey } from '../../../src/foundation/kernel/ids.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import {
  addPeople,
  firstShop,
  generous,
  idsByFirstName,
  namesIn,
  reveal,
  storedUsage,
  unknownId,
  usageOf,
} from './support/reveals.ts'

let app: TestApp
/** By first name. */
let ids: Record<string, string>
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  await addPeople(app)
  await addPeople(app, 'test')
  ids = await idsByFirstName(await app.key({}))
})

const newKey = (credits = 100) => app.key({ limits: { ...generous, contact_credits: credits } })
const nothing = { reveals: 0, exports: 0, counted: 0, entered: 0 }

describe('a revealed person', () => {
  test('a reveal returns every deliverable channel and nothing else', async () => {
    const reply = await reveal(await newKey(), [ids.Mara])
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({
      object: 'contact_reveal_result',
      credits: { spent: 1, remaining: 99 },
      data: [
        {
          id: ids.Mara,
          object: 'contact',
          full_name: 'Mara Lindqvist',
          first_name: 'Mara',
          last_name: 'Lindqvist',
          title: 'Head of Marketing',
          role: 'marketing',
          seniority: 'decision_maker',
          profile_url: 'https://people.example/mara-lindqvist',
          reveal_status: 'newly_revealed',
          charged: true,
          emails: [
            { email: 'mara@first-shop.example', status: 'verified', type: 'work', is_primary: true },
            { email: 'mara.l@post.example', status: 'unverified', type: 'personal', is_primary: false },
          ],
          phones: [
            { phone: '+1 202-555-0143', type: 'office', is_primary: true },
            { phone: '+1 202-555-0144', type: 'mobile', is_primary: false },
          ],
          store: { id: expect.stringMatching(/^st_live_[A-Za-z]{16}$/), domain: firstShop, name: 'First Shop' },
          revealed_at: '2026-11-10T12:00:00.000Z',
        },
      ],
      request_id: reply.headers.get('x-request-id'),
    })
    expect(reply.headers.get('cache-control')).toBe('no-store')
    expect(reply.headers.get('x-contact-credits-remaining')).toBe('99')
    expect(reply.headers.get('x-store-exports-remaining')).toBe('4999')
    expect(reply.headers.has('x-search-rows-remaining')).toBe(false)
    expect(reply.headers.has('idempotent-replayed')).toBe(false)
  })

  test('the full name is that of the import, otherwise first and last name joined', async () => {
    const { body } = await reveal(await newKey(), [ids.Ines, ids.Yuki, ids.Tomas])
    expect(body.data.map((contact: { full_name: string }) => contact.full_name)).toEqual([
      'Dr. Ines Ferreira',
      'Yuki 山田',
      'Tomas',
    ])
  })

  test('exactly one email and one phone are primary, also if the primary one is withheld', async () => {
    const { body } = await reveal(await newKey(), [ids.Ines, ids.Tomas, ids.Yuki])
    const [ines, tomas, yuki] = body.data
    expect(ines.emails).toEqual([
      { email: 'ines@first-shop.example', status: 'accept_all', type: 'unknown', is_primary: true },
      { email: 'ines@post.example', status: 'unknown', type: 'unknown', is_primary: false },
    ])
    expect(tomas).toMatchObject({ emails: [], profile_url: null, role: null, title: null, seniority: 'other' })
    expect(tomas.phones).toEqual([{ phone: '+1 202-555-0145', type: 'unknown', is_primary: true }])
    expect(yuki).toMatchObject({ emails: [], phones: [], profile_url: 'https://people.example/yuki' })
  })

  test('later reveals are free for every key of the account, and have the date of the first', async () => {
    const key = await newKey(2)
    await reveal(key, [ids.Mara])
    app.clock.set('2027-03-01T00:00:00.000Z')
    const colleague = await app.keyOf(key.account, {})
    const again = await reveal(colleague, [ids.Mara, ids.Ines])
    app.clock.set('2026-11-10T12:00:00.000Z')
    expect(again.body.credits).toEqual({ spent: 1, remaining: 1 })
    expect(again.body.data).toMatchObject([
      { reveal_status: 'already_revealed', charged: false, revealed_at: '2026-11-10T12:00:00.000Z' },
      { reveal_status: 'newly_revealed', charged: true, revealed_at: '2027-03-01T00:00:00.000Z' },
    ])
    expect(await storedUsage(app, key)).toEqual({ reveals: 2, exports: 2, counted: 2, entered: 2 })
  })

  test('previews mark a revealed contact, for its own account only', async () => {
    const [key, other] = [await newKey(), await newKey()]
    await reveal(key, [ids.Mara])
    const isRevealed = async (caller: typeof key) =>
      (await caller.post('/contacts/search', { person: { roles_any: ['marketing'] } })).body.data[0].revealed
    expect([await isRevealed(key), await isRevealed(other)]).toEqual([true, false])
    expect((await reveal(other, [ids.Mara])).body.credits.spent).toBe(1)
  })

  test('a later reveal returns the current data, and nothing once there is no channel', async () => {
    await app.importStores([{ domain: 'changing.example', name: 'Changing' }])
    const record = { store_domain: 'changing.example', external_id: 'x', first_name: 'Lena' }
    await app.importContacts([{ ...record, emails: [{ email: 'lena@changing.example', status: 'verified' }] }])
    const key = await newKey()
    const { Lena } = await idsByFirstName(key)
    await reveal(key, [Lena])
    await app.importContacts([{ ...record, title: 'Owner', emails: [{ email: 'l@changing.example' }] }])
    const today = await reveal(key, [Lena])
    expect(today.body.credits.spent).toBe(0)
    expect(today.body.data[0]).toMatchObject({ title: 'Owner', emails: [{ email: 'l@changing.example' }] })
    await app.importContacts([{ ...record, emails: [] }])
    expect((await reveal(key, [Lena])).body.error?.code).toBe('no_revealable_contacts')
    expect(namesIn(await reveal(key, [Lena, ids.Mara]))).toEqual(['Mara'])
  })

  test.each(['info@nora-field.example', 'nora@nora-field.example'])(
    'stays who they are when somebody else comes with their address %s',
    async (email) => {
      const domain = `${email.split('@')[0]}.nora-field.example`
      const person = (first_name: string, last_name: string) => ({
        ...{ store_domain: domain, first_name, last_name, emails: [{ email }] },
      })
      await app.importStores([{ domain }])
      await app.importContacts([person('Nora', 'Field')])
      const key = await newKey()
      const nora = (await idsByFirstName(key)).Nora
      const first = await reveal(key, [nora])
      await app.importContacts([person('Otto', 'Brook')])
      const again = await reveal(key, [nora])
      expect(again.body.data[0]).toMatchObject({ id: nora, full_name: 'Nora Field', charged: false })
      expect(again.body.data[0].emails).toEqual(first.body.data[0].emails)
      const otto = (await idsByFirstName(key)).Otto
      expect((await reveal(key, [otto])).body).toMatchObject({
        credits: { spent: 1 },
        data: [{ id: otto, full_name: 'Otto Brook' }],
      })
    },
  )

  test('sealed bytes that were moved to another contact do not open', async () => {
    await app.importStores([{ domain: 'mixed-up.example', name: 'Mixed Up' }])
    const record = (name: string) => ({
      store_domain: 'mixed-up.example',
      first_name: name,
      profile_url: `https://people.example/${name}`,
    })
    await app.importContacts([record('Orla'), record('Piet')])
    const key = await newKey()
    const { Orla, Piet } = await idsByFirstName(key)
    await app.db.query(`
      update contacts c set sealed = other.sealed from contacts other
      where c.store_id = other.store_id and c.number = 0 and other.number = 1
        and c.store_id = (select store_id from store_domains where host = 'mixed-up.example')`)
    const replies = await Promise.all([reveal(key, [Orla]), reveal(key, [Piet])])
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 500])
    expect((await usageOf(key)).contact_credits.used).toBe(1)
  })
})

describe('the ids', () => {
  test('contacts come in the order of the ids, each once, without those that cannot be revealed', async () => {
    const key = await newKey()
    const mixed = [ids.Yuki, unknownId(app), ids.Mara, ids.Bruno, ids.Yuki, ids.Nobody, ids.Tomas, ids.Mara]
    const reply = await reveal(key, mixed)
    expect(namesIn(reply)).toEqual(['Yuki', 'Mara', 'Tomas'])
    expect(reply.body.credits).toEqual({ spent: 3, remaining: 97 })
    expect(await storedUsage(app, key)).toEqual({ reveals: 3, exports: 1, counted: 3, entered: 3 })
    const again = await reveal(key, [...mixed].reverse())
    expect(namesIn(again)).toEqual(['Mara', 'Tomas', 'Yuki'])
    expect(again.body.credits).toEqual({ spent: 0, remaining: 97 })
  })

  test('ids without a revealable contact get a 404 that costs nothing', async () => {
    const key = await newKey()
    const sandbox = await app.keyOf(key.account, { mode: 'test' })
    const ofSandbox = (await idsByFirstName(sandbox)).Mara!
    const reply = await reveal(key, [
      unknownId(app),
      ids.Bruno,
      ids.Nobody,
      ofSandbox,
      ofSandbox.replace('_test_', '_live_'),
      'ct_live_AAAAAAAAAAAAAAAA',
      'ct_elsewhere_AAAAAAAAAAAAAAAA',
    ])
    expect(reply.status).toBe(404)
    expect(reply.body.error).toMatchObject({
      type: 'not_found_error',
      code: 'no_revealable_contacts',
      param: 'contact_ids',
    })
    expect(await storedUsage(app, key)).toEqual({ ...nothing })
  })

  test('ids of stores and accounts are refused', async () => {
    const { ids: sealer } = app.deps
    const key = await newKey()
    for (const id of [sealer.seal('store', 1, 'live'), sealer.seal('account', 1)]) {
      const { error } = (await reveal(key, [ids.Mara, id])).body
      expect(error).toMatchObject({ code: 'invalid_contact_id', param: 'contact_ids[1]' })
    }
    const renamed = sealer.seal('store', contactKey(1, 0), 'live').replace('st_', 'ct_')
    expect((await reveal(key, [renamed])).status).toBe(404)
  })

  test.each([
    ['no list', { contact_ids: 'ct_live_AAAAAAAAAAAAAAAA' }, 'invalid_request', 'contact_ids'],
    ['an empty list', { contact_ids: [] }, 'invalid_request', 'contact_ids'],
    ['eleven', { contact_ids: Array(11).fill('ct_live_AAAAAAAAAAAAAAAA') }, 'invalid_request', 'contact_ids'],
    ['a number', { contact_ids: ['ct_live_AAAAAAAAAAAAAAAA', 7] }, 'invalid_request', 'contact_ids[1]'],
    ['null', { contact_ids: [null] }, 'invalid_request', 'contact_ids[0]'],
    ['a short one', { contact_ids: ['ct_live_AAAAAAAAAAAAAAA'] }, 'invalid_contact_id', 'contact_ids[0]'],
    ['a long one', { contact_ids: ['ct_live_AAAAAAAAAAAAAAAAA'] }, 'invalid_contact_id', 'contact_ids[0]'],
    ['one with a digit', { contact_ids: ['ct_live_AAAAAAAAAAAAAAA1'] }, 'invalid_contact_id', 'contact_ids[0]'],
    ['one with a line break', { contact_ids: ['ct_live_AAAAAAAAAAAAAAAA\n'] }, 'invalid_contact_id', 'contact_ids[0]'],
    ['an empty one', { contact_ids: [''] }, 'invalid_contact_id', 'contact_ids[0]'],
    ['nothing', {}, 'missing_parameter', 'contact_ids'],
    ['something else', { contact_ids: ['ct_live_AAAAAAAAAAAAAAAA'], all: true }, 'unknown_parameter', 'all'],
  ])('contact ids that are %s are refused', async (_what, body, code, param) => {
    const key = await newKey()
    const reply = await key.post('/contacts/reveal', body)
    expect(reply.status).toBe(400)
    expect(reply.body.error).toMatchObject({ code, param })
  })
})

test('the sandbox has contacts, credits and reveals of its own', async () => {
  const key = await newKey(5)
  const sandbox = await app.keyOf(key.account, { mode: 'test' })
  const sandboxIds = await idsByFirstName(sandbox)
  await reveal(key, [ids.Mara])
  const reply = await reveal(sandbox, [sandboxIds.Mara, sandboxIds.Ines, ids.Mara])
  expect(reply.body.credits).toEqual({ spent: 2, remaining: 3 })
  expect(reply.body.data[0]).toMatchObject({ id: sandboxIds.Mara, store: { id: expect.stringMatching(/^st_test_/) } })
  expect((await usageOf(key)).contact_credits.used).toBe(1)
  expect((await storedUsage(app, key, 'test')).reveals).toBe(2)
})

test('with DELIVER_EMAILS=verified, other emails do not make a contact revealable', async () => {
  const strict = await startTestApp({
    now: '2026-11-10T12:00:00.000Z',
    environment: { DELIVER_EMAILS: 'verified' },
  })
  await addPeople(strict)
  const key = await strict.key({})
  const strictIds = await idsByFirstName(key)
  const { body } = await reveal(key, [strictIds.Mara, strictIds.Ines, strictIds.Tomas])
  expect(body.credits.spent).toBe(2)
  expect(body.data).toMatchObject([
    { first_name: 'Mara', emails: [{ email: 'mara@first-shop.example', is_primary: true }] },
    { first_name: 'Tomas', emails: [] },
  ])
  expect(body.data[0].emails).toHaveLength(1)
  expect((await reveal(key, [strictIds.Ines])).status).toBe(404)
})
