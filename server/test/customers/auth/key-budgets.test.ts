import { beforeAll, describe, expect, test } from 'vitest'
import { type IssuedKey, rotateKey } from '../../../src/customers/keys/create-key.ts'
import { addCrowd, addPeople, idsByFirstName, reveal } from '../../product/contacts/support/reveals.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import { createClient } from '../../support/client.ts'
import { commandsOf } from '../../support/deps.ts'
import { budgetOf, findDifferences, keyWithBudget, setBudget, siblingOf } from './support/key-budgets.ts'

let app: TestApp
let ids: string[]
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  ids = await addCrowd(app, 60)
})

/** An issued key, as tests call with it. */
const keyOf = (account: string, { key, secret }: IssuedKey): TestKey => ({
  ...createClient(app.url, secret),
  ...{ id: key.id, account, secret },
})
const search = (key: TestKey, limit: number) => key.post('/stores/search', { filters: {}, limit })
const lookup = (key: TestKey, store: number) => key.get(`/stores/crowd-${store}.example`)

describe('a budget of contact credits', () => {
  test('is spent to its last credit and not over, and the refusal says whose budget it is, used and until when', async () => {
    const key = await keyWithBudget(app, { contact_credits: 3 })
    const first = await reveal(key, ids.slice(0, 2))
    expect(first.body.credits).toEqual({ spent: 2, remaining: 1 })
    expect(first.headers.get('x-contact-credits-remaining')).toBe('1')
    const refused = await reveal(key, ids.slice(0, 4))
    expect(refused.status).toBe(402)
    expect(refused.body.error).toEqual({
      ...refused.body.error,
      code: 'insufficient_contact_credits',
      param: 'key_budget.contact_credits',
      message:
        '2 contact credits are needed, but this API key has used 2 of 3 contact credits of its own budget until 2026-12-10.',
    })
    expect(refused.body.error).not.toHaveProperty('billing')
    expect((await reveal(key, ids.slice(0, 3))).body.credits).toEqual({ spent: 1, remaining: 0 })
    // What the account has already stays free.
    expect((await reveal(key, ids.slice(0, 3))).body.credits).toEqual({ spent: 0, remaining: 0 })
    expect((await reveal(key, [ids[3]!])).status).toBe(402)
    // The budget is this key's: another one of the account goes on.
    const other = await siblingOf(app, key)
    expect((await reveal(other, [ids[3]!])).body.credits.spent).toBe(1)
    expect(await findDifferences(app)).toEqual([])
  })

  test('during a trial the refusal has no link, which would not help; what the account lacks comes first', async () => {
    const trialEnds = '2026-11-20T00:00:00Z'
    const trial = await app.key({ scopes: ['contacts:reveal', 'usage:read'], status: 'trialing', trialEnds })
    await setBudget(app, trial, { contact_credits: 0 })
    const refused = await reveal(trial, [ids[0]!])
    expect(refused.body.error).toMatchObject({ param: 'key_budget.contact_credits' })
    expect(refused.body.error).not.toHaveProperty('billing')
    await app.setAccount(trial.account, { limits: { trial_contact_credits: 0 } })
    expect((await reveal(trial, [ids[0]!])).body.error).toMatchObject({
      param: 'contact_ids',
      billing: expect.anything(),
    })
  })

  test('a repeated reveal with an Idempotency-Key counts once, also at the limit', async () => {
    const key = await keyWithBudget(app, { contact_credits: 1 })
    const send = () => reveal(key, [ids[0]!], 'once')
    const replies = await Promise.all(Array.from({ length: 8 }, send))
    const done = replies.filter(({ status }) => status === 200)
    expect(done.length).toBeGreaterThan(0)
    expect((await send()).body).toEqual(done[0]!.body)
    expect((await budgetOf(key)).contact_credits).toEqual({ limit: 1, used: 1, remaining: 0 })
  })
})

describe('budgets of search rows and store exports', () => {
  test('a search beyond the rows is refused before it runs, with the limit that fits and until when to wait', async () => {
    const key = await keyWithBudget(app, { search_rows: 5 })
    const page = await search(key, 3)
    expect(page.headers.get('x-search-rows-remaining')).toBe('2')
    const refused = await search(key, 3)
    expect(refused).toMatchObject({
      status: 429,
      body: {
        error: {
          code: 'rate_limit_exceeded',
          param: 'key_budget.search_rows',
          message:
            'This API key has used 3 of 5 search rows of its own budget until 2026-12-10; ask for limit 2 or less.',
        },
      },
    })
    expect(refused.headers.get('retry-after')).toBe(String(30 * 86_400))
    expect((await search(key, 2)).status).toBe(200)
    expect((await search(key, 1)).body.error.message).toBe(
      'This API key has used 5 of 5 search rows of its own budget until 2026-12-10.',
    )
  })

  test('new stores beyond the exports are refused, known ones are delivered', async () => {
    const key = await keyWithBudget(app, { store_exports: 2 })
    await lookup(key, 0)
    expect((await lookup(key, 1)).headers.get('x-store-exports-remaining')).toBe('0')
    const refused = await lookup(key, 2)
    expect(refused.status).toBe(429)
    expect(refused.body.error).toMatchObject({
      param: 'key_budget.store_exports',
      message:
        'This API key has used 2 of 2 store exports of its own budget until 2026-12-10, and this reply holds more stores that are new this period.',
    })
    expect(Number(refused.headers.get('retry-after'))).toBe(30 * 86_400)
    expect((await lookup(key, 0)).status).toBe(200)
    // Reveals take exports too.
    expect((await reveal(key, [ids[25]!])).body.error).toMatchObject({
      code: 'rate_limit_exceeded',
      param: 'key_budget.store_exports',
    })
    // A refusal for exports counts as a request, since it shows that the store exists.
    expect((await key.get('/usage')).body.api_requests.used).toBe(6)
  })

  test('the smaller of what account and key have left decides, and is what headers say', async () => {
    const key = await keyWithBudget(app, { store_exports: 10, search_rows: 10 }, { store_exports: 2, search_rows: 4 })
    const page = await search(key, 1)
    expect(page.headers.get('x-store-exports-remaining')).toBe('1')
    expect(page.headers.get('x-search-rows-remaining')).toBe('3')
    expect((await search(key, 4)).body.error.param).toBe('search_rows')
    await search(key, 2)
    expect((await search(key, 3)).body.error.param).toBe('search_rows')
    for (const store of [0, 1, 2, 3, 4, 5]) await lookup(key, store)
    expect((await lookup(key, 5)).body.error.param).toBe('store_exports')
    expect((await budgetOf(key)).store_exports).toEqual({ limit: 10, used: 2, remaining: 8 })
  })
})

describe('a change of a budget', () => {
  test('is effective at once, and what was spent before it was set counts', async () => {
    const key = await keyWithBudget(app, {})
    expect(await budgetOf(key)).toBeUndefined()
    await reveal(key, ids.slice(0, 2))
    await setBudget(app, key, { contact_credits: 3 })
    expect(await budgetOf(key)).toEqual({ contact_credits: { limit: 3, used: 2, remaining: 1 } })
    expect((await reveal(key, ids.slice(2, 4))).status).toBe(402)
    await setBudget(app, key, { contact_credits: 4 })
    expect((await reveal(key, ids.slice(2, 4))).body.credits).toEqual({ spent: 2, remaining: 0 })
    await setBudget(app, key, { contact_credits: 1, search_rows: 7 })
    expect((await reveal(key, ids.slice(4, 5))).body.error.message).toContain('has used 4 of 1 contact credits')
    expect(await budgetOf(key)).toEqual({
      contact_credits: { limit: 1, used: 4, remaining: 0 },
      search_rows: { limit: 7, used: 0, remaining: 7 },
    })
    await setBudget(app, key, { contact_credits: null })
    expect((await reveal(key, ids.slice(4, 5))).status).toBe(200)
  })

  test('a new period begins with the whole budget', async () => {
    const key = await keyWithBudget(app, { search_rows: 1 })
    expect((await search(key, 1)).status).toBe(200)
    expect((await search(key, 1)).status).toBe(429)
    app.clock.set('2026-12-10T12:00:00.000Z')
    expect((await search(key, 1)).status).toBe(200)
    app.clock.set('2026-11-10T12:00:00.000Z')
  })
})

test('a key that replaces another shares its budget, so that rotation gives nothing back', async () => {
  const old = await keyWithBudget(app, { contact_credits: 3 })
  await reveal(old, ids.slice(0, 2))
  const rotated = await rotateKey(commandsOf(app.deps), old.id, { overlap_seconds: 3600 })
  const successor = keyOf(old.account, rotated)
  expect(await budgetOf(successor)).toEqual({ contact_credits: { limit: 3, used: 2, remaining: 1 } })
  expect((await reveal(successor, [ids[2]!])).status).toBe(200)
  expect((await reveal(old, [ids[3]!])).status).toBe(402)
  // A change of either is a change of both.
  const third = await rotateKey(commandsOf(app.deps), successor.id, { overlap_seconds: 0 })
  await setBudget(app, old, { contact_credits: 4 })
  const last = keyOf(old.account, third)
  expect((await reveal(last, [ids[3]!])).body.credits).toEqual({ spent: 1, remaining: 0 })
  expect((await reveal(old, [ids[4]!])).status).toBe(402)
  expect(await findDifferences(app)).toEqual([])
})

test('a key of the sandbox has a budget of what it spends there', async () => {
  await addPeople(app, 'test')
  const live = await keyWithBudget(app, { contact_credits: 9 })
  const key = await siblingOf(app, live, { mode: 'test' })
  await setBudget(app, key, { contact_credits: 1 })
  const { Mara, Ines } = await idsByFirstName(key)
  expect((await reveal(key, [Mara!])).status).toBe(200)
  expect((await reveal(key, [Ines!])).body.error.param).toBe('key_budget.contact_credits')
  expect((await budgetOf(live)).contact_credits.used).toBe(0)
})

test('what people of the console look at and reveal counts for no key', async () => {
  const key = await keyWithBudget(app, { contact_credits: 1, search_rows: 1 })
  const user = await app.person({ account: key.account })
  expect((await user.post(`/accounts/${key.account}/stores/search`, { filters: {}, limit: 5 })).status).toBe(200)
  expect((await user.post(`/accounts/${key.account}/contacts/reveal`, { contact_ids: ids.slice(0, 3) })).status).toBe(
    200,
  )
  expect(await budgetOf(key)).toMatchObject({ contact_credits: { used: 0 }, search_rows: { used: 0 } })
})

test('a quote says what the key has left, and whether that is enough', async () => {
  const key = await keyWithBudget(app, { contact_credits: 2, store_exports: 1 })
  const quoted = await key.post('/quotes', { for: 'reveal', contact_ids: ids.slice(0, 3) })
  expect(quoted.body).toMatchObject({
    ...{
      credits: 3,
      credits_remaining: 2,
      credits_after: 0,
      exports_remaining: 1,
      exports_after: 0,
      sufficient: false,
    },
  })
  const enough = await key.post('/quotes', { for: 'reveal', contact_ids: ids.slice(0, 2) })
  expect(enough.body).toMatchObject({ credits_after: 0, sufficient: true })
  const body = { kind: 'stores', filters: {}, max_rows: 2 }
  expect((await key.post('/quotes', { for: 'export', ...body })).body).toMatchObject({
    ...{ new_exports: 2, exports_remaining: 1, sufficient: false },
  })
})
