import { describe, expect, test } from 'vitest'
import { type Answer, serve } from './support/server.ts'

const rows = Array.from({ length: 250 }, (_, index) => ({ id: `st_live_${index}` }))

/** A search that finds 250 stores. */
const search: Answer = (response, { body, query }) => {
  const limit = Number(body?.limit ?? query.get('limit') ?? 25)
  const start = Number(body?.cursor ?? query.get('cursor') ?? 0)
  const data = rows.slice(start, start + limit)
  const has_more = start + limit < rows.length
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ object: 'list', data, has_more, next_cursor: has_more ? String(start + limit) : null }))
}

const limitsOf = ({ received }: Awaited<ReturnType<typeof serve>>) => received.map(({ body }) => body.limit)

describe('rows cost money', () => {
  test.each([
    [0, []],
    [1, [1]],
    [100, [100]],
    [230, [100, 100, 30]],
    [250, [100, 100, 50]],
    [1_000, [100, 100, 100]],
  ])('of %d rows, no page asks for more than what is missing', async (maxRows, limits) => {
    const server = await serve(search)
    const found: unknown[] = []
    for await (const store of server.client().stores.search({ filters: {} }, { maxRows })) found.push(store)
    expect(found).toEqual(rows.slice(0, maxRows))
    expect(limitsOf(server)).toEqual(limits)
  })

  test('pages are as long as the request says, and the last one shorter', async () => {
    const server = await serve(search)
    await server.client().stores.search({ filters: {}, limit: 40 }).toArray({ maxRows: 100 })
    expect(limitsOf(server)).toEqual([40, 40, 20])
  })

  test('nothing is fetched ahead, and nothing after a break', async () => {
    const server = await serve(search)
    for await (const store of server.client().stores.search({ filters: {} })) if (store.id === 'st_live_30') break
    expect(server.received).toHaveLength(2)
    expect(limitsOf(server)).toEqual([undefined, undefined])
  })

  test('an array needs a bound', async () => {
    const server = await serve(search)
    const found = server.client().stores.search({ filters: {} })
    await expect(found.toArray()).rejects.toMatchObject({ name: 'ValidationError', param: 'maxRows' })
    expect(server.received).toHaveLength(0)
    expect(await found.toArray({ maxRows: Infinity })).toEqual(rows)
  })

  test.each([-1, 1.5, Number.NaN])('%d is no bound', async (maxRows) => {
    const { stores } = (await serve(search)).client()
    expect(() => stores.search({ filters: {} }, { maxRows })).toThrow('maxRows')
  })
})

test('pages are as the API sends them, with the same filters and the cursor of the page before', async () => {
  const server = await serve(search)
  const filters = { countries: ['DE'] }
  const lengths: number[] = []
  for await (const page of server.client().stores.search({ filters }, { maxRows: 120 }).pages())
    lengths.push(page.data.length)
  expect(lengths).toEqual([100, 20])
  expect(server.received.map(({ body }) => body)).toEqual([
    { filters, limit: 100 },
    { filters, limit: 20, cursor: '100' },
  ])
})

test('lists and histories are paged with a query', async () => {
  const server = await serve(search)
  const { lists, stores } = server.client()
  await lists.list({ kind: 'stores' }).toArray({ maxRows: 120 })
  await stores.history('https://shop.example/a', { limit: 7 }).toArray({ maxRows: 3 })
  expect(server.received.map(({ path, query }) => [path, String(query)])).toEqual([
    ['/api/v1/lists', 'kind=stores&limit=100'],
    ['/api/v1/lists', 'kind=stores&limit=20&cursor=100'],
    ['/api/v1/stores/https%3A%2F%2Fshop.example%2Fa/history', 'limit=3'],
  ])
})

test('a search can begin at a cursor, and be read twice', async () => {
  const server = await serve(search)
  const found = server.client().contacts.search({ cursor: '240' })
  expect(await found.toArray({ maxRows: 100 })).toEqual(rows.slice(240))
  expect(await found.toArray({ maxRows: 1 })).toEqual(rows.slice(240, 241))
})
