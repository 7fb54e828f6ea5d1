import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import type { Storedex } from '../../../../client/src/index.ts'
import { generous } from '../../product/contacts/support/reveals.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { generateContacts } from '../../support/records/contact-records.ts'
import { generateStores } from '../../support/records/store-records.ts'
import { chargedTo, connectClient, ledgerDifferences, startFaultProxy } from './support/disturbed.ts'
import type { FaultProxy, ServiceAnswer } from './support/fault-proxy.ts'
import { type FaultWeights, roughNetwork } from './support/faults.ts'

const stores = [...generateStores(260, 5)]
const domains = stores.map(({ domain }) => domain)
let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  await app.importStores(stores)
  await app.importContacts([...generateContacts(stores, 3, 5)])
})

/** Without the fault that leaves open what the service has charged. */
const countable: FaultWeights = { ...roughNetwork, abandon: 0 }

async function connectThroughFaults(weights: FaultWeights) {
  const key = await app.key({ limits: generous })
  const proxy = await startFaultProxy(app, { weights })
  return { key, proxy, disturbed: connectClient(proxy.origin, key, { maxRetries: 14 }) }
}

/** The rows of all pages that the service has sent, delivered or not. */
function rowsSent({ exchanges }: FaultProxy): number {
  const pages = exchanges.flatMap(({ answers }) => answers).filter(({ status }) => status === 200)
  return pages.reduce((rows, page) => rows + JSON.parse(textOf(page)).data.length, 0)
}

function textOf({ rawHeaders, body }: ServiceAnswer): string {
  const encoding = rawHeaders.find((_, index) => rawHeaders[index - 1]?.toLowerCase() === 'content-encoding')
  const decode = { gzip: gunzipSync, br: brotliDecompressSync }[encoding ?? '']
  return (decode ? decode(body) : body).toString()
}

const walks: Record<string, (storedex: Storedex) => Promise<object[]>> = {
  'all stores': (storedex) => storedex.stores.search({ filters: {} }).toArray({ maxRows: Infinity }),
  'stores of the standard tier, 11 a page': (storedex) =>
    storedex.stores.search({ filters: { platform_plus: false }, limit: 11 }).toArray({ maxRows: 500 }),
  'all people': (storedex) =>
    storedex.contacts.search({ max_contacts_per_store: 10, limit: 40 }).toArray({ maxRows: Infinity }),
  'decision makers with an email': (storedex) =>
    storedex.contacts
      .search({ person: { seniority_any: ['decision_maker'], has_verified_email: true } }, { maxRows: 70 })
      .toArray(),
}

test.for(Object.entries(walks))(
  'a walk over %s through faults has the rows of an undisturbed one, and is charged every row that was sent',
  async ([, walk]) => {
    const key = await app.key({ limits: generous })
    const undisturbed = await walk(connectClient(app.url, key))
    expect(undisturbed.length).toBeGreaterThan(60)
    const proof = await connectThroughFaults(countable)
    expect(await walk(proof.disturbed)).toEqual(undisturbed)
    await proof.proxy.settle()
    const [calm, rough] = [await chargedTo(app, key), await chargedTo(app, proof.key)]
    expect(calm.search_rows).toBe(undisturbed.length)
    // A repeated search costs its rows again; a store is an export once.
    expect(rough.search_rows).toBe(rowsSent(proof.proxy))
    expect(rough.search_rows).toBeGreaterThanOrEqual(undisturbed.length)
    expect([rough.store_exports, rough.exports]).toEqual([calm.store_exports, calm.exports])
  },
)

test('a walk has the same rows when both connections are cut while the service works', async () => {
  const walk = walks['all people']!
  const { disturbed } = await connectThroughFaults({ pass: 1, abandon: 1 })
  expect(await walk(disturbed)).toEqual(await walk(connectClient(app.url, await app.key({ limits: generous }))))
  expect(await ledgerDifferences(app)).toEqual([])
})

test('maxRows is the most that is charged, whatever the length of pages', async () => {
  for (const [maxRows, limit] of [
    [130, undefined],
    [101, 100],
    [7, undefined],
    [30, 25],
    [0, undefined],
  ] as const) {
    const key = await app.key({ limits: generous })
    const storedex = connectClient(app.url, key)
    const body = { filters: {}, ...(limit && { limit }) }
    expect(await storedex.stores.search(body).toArray({ maxRows })).toHaveLength(maxRows)
    if (maxRows > 0) expect((await chargedTo(app, key)).search_rows).toBe(maxRows)
  }
})

test('a loop that is left fetches and charges no further page', async () => {
  const { key, proxy, disturbed } = await connectThroughFaults({ pass: 1 })
  let seen = 0
  for await (const store of disturbed.stores.search({ filters: {}, limit: 20 })) {
    expect(store.object).toBe('store')
    if (++seen === 25) break
  }
  await proxy.settle()
  expect([proxy.exchanges.length, (await chargedTo(app, key)).search_rows]).toEqual([2, 40])
})

test('an enrichment of many domains through faults equals the undisturbed one and charges each store once', async () => {
  const asked = [...domains.slice(0, 70), 'nobody.example', ...domains.slice(60, 130), `https://www.${domains[3]}/x`]
  const undisturbed = connectClient(app.url, await app.key({ limits: generous }))
  const { key, proxy, disturbed } = await connectThroughFaults(roughNetwork)
  const [calm, rough] = await Promise.all(
    [undisturbed, disturbed].map((storedex) =>
      storedex.stores.enrich({ domains: asked, include: ['store', 'technologies', 'contact_previews'] }),
    ),
  )
  const { request_id: _, ...wanted } = calm!
  expect(rough).toMatchObject(wanted)
  expect(rough!.data).toEqual(calm!.data)
  expect([rough!.found, rough!.not_found]).toEqual([130, 1])
  await proxy.settle()
  expect((await chargedTo(app, key)).store_exports).toBe(130)
  expect(await ledgerDifferences(app)).toEqual([])
})
