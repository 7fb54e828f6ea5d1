import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { proofRuns } from '../../../../bin/tests/proof-runs.ts'
import { eraseContacts } from '../../../src/catalogue/erasure/erase-contacts.ts'
import { removeStore } from '../../../src/catalogue/erasure/remove-store.ts'
import { renameStore } from '../../../src/catalogue/renaming/rename-store.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import type { Json } from '../../support/client.ts'

let app: TestApp
let key: TestKey
let other: TestKey
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  ;[key, other] = [await newKey(), await newKey()]
})

const newKey = () =>
  app.key({
    scopes: ['stores:read', 'contacts:search', 'lists:manage'],
    limits: { requests_per_minute: 1_000_000, requests_per_day: 1_000_000 },
  })

let count = 0
async function newList(owner: TestKey, kind: 'stores' | 'contacts' = 'stores'): Promise<string> {
  return (await owner.post('/lists', { name: `List ${++count}`, kind })).body.id
}
const itemsOf = async (owner: TestKey, list: string): Promise<Json[]> =>
  (await owner.get(`/lists/${list}/items?limit=100`)).body.data
const domainsIn = async (owner: TestKey, list: string) => (await itemsOf(owner, list)).map(({ domain }) => domain)
const countsOf = async (owner: TestKey, list: string) => {
  const { items, pending } = (await owner.get(`/lists/${list}`)).body
  return { items, pending }
}

/** Lists whose counters differ from their rows, and rows without a list. */
async function contradictions(): Promise<object[]> {
  const { rows } = await app.db.query(`
    select coalesce(l.id, r.list_id) as list, l.items, l.pending, r.members, r.waiting
    from lists l
    full join (
      select account_id, list_id, sum(member) as members, sum(waits) as waiting
      from (select account_id, list_id, 1 as member, 0 as waits from list_stores
            union all select account_id, list_id, 1, 0 from list_contacts
            union all select account_id, list_id, 0, 1 from list_pending) as each
      group by 1, 2
    ) r on r.account_id = l.account_id and r.list_id = l.id
    where coalesce(l.items, -1) <> coalesce(r.members, 0) or coalesce(l.pending, -1) <> coalesce(r.waiting, 0)`)
  const { rows: counts } = await app.db.query(`
    select account_id, mode from list_counts c
    where lists <> (select count(*) from lists l where l.account_id = c.account_id and l.mode = c.mode)`)
  return [...rows, ...counts]
}

const person = (store_domain: string, name: string, more: object = {}) => ({
  store_domain,
  external_id: name,
  first_name: name,
  last_name: 'Listed',
  emails: [{ email: `${name}@mail.example`, status: 'verified', type: 'work' }],
  ...more,
})

async function contactIds(store_domain: string): Promise<string[]> {
  const search = { store: { domains: [store_domain] }, max_contacts_per_store: 10 }
  const { body } = await key.post('/contacts/search', search)
  return body.data.map(({ id }: { id: string }) => id)
}

describe('a domain that waits', () => {
  test('becomes an item when an import brings its store, by domain or alias, in every list', async () => {
    const [mine, theirs] = [await newList(key), await newList(other)]
    await key.post(`/lists/${mine}/items`, { domains: ['coming.example', 'coming-too.example', 'never.example'] })
    await other.post(`/lists/${theirs}/items`, { domains: ['coming-too.example'] })
    const test = await app.keyOf(key.account, { scopes: ['lists:manage'], mode: 'test' })
    const sandbox = await newList(test)
    await test.post(`/lists/${sandbox}/items`, { domains: ['coming.example'] })
    app.clock.advance(60_000)
    await app.importStores([{ domain: 'coming.example', name: 'Coming', aliases: ['coming-too.example'] }])
    expect(await countsOf(key, mine)).toEqual({ items: 1, pending: 1 })
    expect(await itemsOf(key, mine)).toMatchObject([
      { domain: 'coming.example', name: 'Coming', pending: false, added_at: '2026-11-10T12:00:00.000Z' },
      { domain: 'never.example', pending: true },
    ])
    expect(await itemsOf(other, theirs)).toMatchObject([{ domain: 'coming.example', pending: false }])
    expect(await countsOf(test, sandbox)).toEqual({ items: 0, pending: 1 })
    // An alias that a known store gets later.
    await key.post(`/lists/${mine}/items`, { domains: ['third-name.example'] })
    await other.post(`/lists/${theirs}/items`, { domains: ['third-name.example', 'fourth-name.example'] })
    await app.importStores([
      { domain: 'coming.example', aliases: ['coming-too.example', 'third-name.example', 'fourth-name.example'] },
    ])
    expect(await countsOf(key, mine)).toEqual({ items: 1, pending: 1 })
    expect(await countsOf(other, theirs)).toEqual({ items: 1, pending: 0 })
    expect(await contradictions()).toEqual([])
  })

  test('is never left waiting by an import at the same time', async () => {
    for (let round = 0; round < 4; round++) {
      const lists = [await newList(key), await newList(key), await newList(other), await newList(other)]
      const domains = Array.from({ length: 20 }, (_, index) => `at-once-${round}-${index}.example`)
      const adding = async (list: string, owner: TestKey) => {
        for (const domain of domains) await owner.post(`/lists/${list}/items`, { domains: [domain] })
      }
      await Promise.all([
        app.importStores(domains.slice(0, 10).map((domain) => ({ domain, name: 'At once' }))),
        app.importStores(domains.slice(10).map((domain) => ({ domain, name: 'At once' }))),
        ...lists.map((list, index) => adding(list, index < 2 ? key : other)),
      ])
      for (const [index, list] of lists.entries())
        expect(await countsOf(index < 2 ? key : other, list)).toEqual({ items: 20, pending: 0 })
    }
    expect(await contradictions()).toEqual([])
  })

  test('becomes an item when a store is given its name', async () => {
    await app.importStores([{ domain: 'before.example', name: 'Before' }])
    const list = await newList(key)
    await key.post(`/lists/${list}/items`, { domains: ['afterwards.example'] })
    await renameStore(app.operator, 'before.example', 'afterwards.example')
    expect(await itemsOf(key, list)).toMatchObject([{ domain: 'afterwards.example', pending: false }])
    expect(await contradictions()).toEqual([])
  })
})

test('a renamed store stays in its lists under its new name, and a removed one goes, with its people', async () => {
  await app.importStores([
    { domain: 'old-name.example', name: 'Old' },
    { domain: 'leaving.example', name: 'Leaving' },
  ])
  await app.importContacts([person('leaving.example', 'lea'), person('old-name.example', 'olga')])
  const people = [...(await contactIds('leaving.example')), ...(await contactIds('old-name.example'))]
  const [stores, contacts] = [await newList(key), await newList(other, 'contacts')]
  await key.post(`/lists/${stores}/items`, { domains: ['old-name.example', 'leaving.example'] })
  await other.post(`/lists/${contacts}/items`, { contact_ids: people })
  await renameStore(app.operator, 'old-name.example', 'new-name.example')
  expect((await domainsIn(key, stores)).sort()).toEqual(['leaving.example', 'new-name.example'])
  await removeStore(app.operator, 'leaving.example')
  expect(await domainsIn(key, stores)).toEqual(['new-name.example'])
  expect(await domainsIn(other, contacts)).toEqual(['new-name.example'])
  expect([await countsOf(key, stores), await countsOf(other, contacts)]).toEqual([
    { items: 1, pending: 0 },
    { items: 1, pending: 0 },
  ])
  expect(await contradictions()).toEqual([])
})

test('an erased person is in no list of any account; an import that changes a person keeps them', async () => {
  await app.importStores([
    { domain: 'people.example', name: 'People' },
    { domain: 'second-job.example', name: 'Second' },
  ])
  await app.importContacts([
    person('people.example', 'erin'),
    person('second-job.example', 'erin'),
    person('people.example', 'kim'),
  ])
  const ids = [...(await contactIds('people.example')), ...(await contactIds('second-job.example'))]
  const lists = [await newList(key, 'contacts'), await newList(other, 'contacts')]
  for (const [index, list] of lists.entries())
    await [key, other][index]!.post(`/lists/${list}/items`, { contact_ids: ids })
  await app.importContacts([person('people.example', 'kim', { first_name: 'Kimberly', emails: [] })])
  await eraseContacts(app.operator, { email: 'erin@mail.example' })
  for (const [index, list] of lists.entries()) {
    const owner = [key, other][index]!
    expect(await itemsOf(owner, list)).toMatchObject([{ first_name: 'Kimberly', domain: 'people.example' }])
    expect(await countsOf(owner, list)).toEqual({ items: 1, pending: 0 })
  }
  expect(await contradictions()).toEqual([])
})

test('nobody is added who is being erased, and no store that is being removed', async () => {
  for (let round = 0; round < 4; round++) {
    const [shop, gone] = [`erasing-${round}.example`, `removing-${round}.example`]
    await app.importStores([shop, gone].map((domain) => ({ domain, name: 'Shop' })))
    await app.importContacts(Array.from({ length: 5 }, (_, index) => person(shop, `gone-${round}-${index}`)))
    const ids = await contactIds(shop)
    const [people, stores] = [await newList(key, 'contacts'), await newList(other)]
    const replies = await Promise.all([
      key.post(`/lists/${people}/items`, { contact_ids: ids }),
      other.post(`/lists/${stores}/items`, { domains: [shop, gone] }),
      ...ids.map((id) => eraseContacts(app.operator, { id })),
      removeStore(app.operator, gone),
      key.post(`/lists/${people}/items`, { contact_ids: ids.toReversed() }),
    ])
    for (const reply of [replies[0], replies[1], replies.at(-1)]) expect(reply).toMatchObject({ status: 200 })
    expect(await countsOf(key, people)).toEqual({ items: 0, pending: 0 })
    expect((await itemsOf(other, stores)).filter(({ pending }) => !pending)).toMatchObject([{ domain: shop }])
  }
  expect(await contradictions()).toEqual([])
})

test('counters equal the rows, whatever is done in whatever order and at once', async () => {
  const domain = (index: number) => `any-${index}.example`
  await app.importStores(Array.from({ length: 6 }, (_, index) => ({ domain: domain(index), name: 'Any' })))
  await app.importContacts(Array.from({ length: 6 }, (_, index) => person(domain(index % 3), `any-${index}`)))
  const people = (await Promise.all([0, 1, 2].map((index) => contactIds(domain(index))))).flat()
  const lists = [
    { owner: key, id: await newList(key), isOfPeople: false },
    { owner: other, id: await newList(other), isOfPeople: false },
    { owner: key, id: await newList(key, 'contacts'), isOfPeople: true },
  ]
  const step = fc.record({
    what: fc.constantFrom('add', 'add', 'add', 'remove', 'remove', 'search', 'import', 'empty'),
    list: fc.nat({ max: 2 }),
    from: fc.nat({ max: 11 }),
    many: fc.integer({ min: 1, max: 5 }),
  })
  let imported = 6
  const run = async ({ what, list, from, many }: { what: string; list: number; from: number; many: number }) => {
    const { owner, id, isOfPeople } = lists[list]!
    const wanted = Array.from({ length: many }, (_, index) => from + index)
    const named = isOfPeople
      ? { contact_ids: wanted.map((index) => people[index % people.length]!) }
      : { domains: wanted.map(domain) }
    const all = isOfPeople ? { from: {}, max: 10_000 } : { from: { filters: {} }, max: 10_000 }
    if (what === 'import') {
      if (imported > 14) return
      await app.importStores([{ domain: domain(imported++), name: 'Any' }])
      return
    }
    const path = what === 'add' || what === 'search' ? 'items' : 'items/remove'
    const body = what === 'search' ? { ...all, max: many } : what === 'empty' ? all : named
    expect((await owner.post(`/lists/${id}/${path}`, body)).status).toBe(200)
  }
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 6 }), async (rounds) => {
      for (const atOnce of rounds) {
        await Promise.all(atOnce.map(run))
        expect(await contradictions()).toEqual([])
      }
    }),
    { numRuns: proofRuns(8, 3) },
  )
})
