import { getEventListeners } from 'node:events'
import { Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { inspect } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import {
  AbortError,
  type CallOptions,
  type Fetch,
  type Storedex,
  StoredexError,
  TimeoutError,
} from '../../../../client/src/index.ts'
import { scopes } from '../../../src/customers/auth/caller.ts'
import { generous } from '../../product/contacts/support/reveals.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import { generateStores } from '../../support/records/store-records.ts'
import { connectClient, failureOf, startFaultProxy } from './support/disturbed.ts'
import type { FaultProxy, FaultProxyOptions } from './support/fault-proxy.ts'

let app: TestApp
let key: TestKey
let exportId: string
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  await app.importStores([...generateStores(120, 8)])
  key = await app.key({ scopes, limits: generous })
  const direct = connectClient(app.url, key)
  const { id } = await direct.exports.create({ kind: 'stores', filters: {}, max_rows: 1_000 })
  exportId = (await direct.exports.wait(id)).id
})

async function connectThrough(options: Partial<FaultProxyOptions>) {
  const proxy = await startFaultProxy(app, options)
  const fetches = { started: 0 }
  const countingFetch: Fetch = (url, init) => {
    fetches.started++
    return fetch(url, init)
  }
  return { proxy, fetches, storedex: connectClient(proxy.origin, key, { fetch: countingFetch }) }
}

const calls: Record<string, (storedex: Storedex, options: CallOptions) => PromiseLike<unknown>> = {
  request: (storedex, options) => storedex.usage.get(options),
  reveal: (storedex, options) =>
    storedex.contacts.reveal({ contact_ids: ['ct_live_AAAAAAAAAAAAAAAA'] }, { ...options, maxCredits: 5 }),
  search: (storedex, options) => storedex.stores.search({ filters: {} }, options).toArray({ maxRows: 200 }),
  enrichment: (storedex, options) => storedex.stores.enrich({ domains: ['shop.example'] }, options),
  download: (storedex, options) =>
    storedex.exports.download(exportId, new Writable({ write: (_chunk, _encoding, done) => done() }), options),
  wait: (storedex, options) => storedex.exports.wait(exportId, options),
}

/** Nothing of an ended call is left: no request that runs or is still to come, and no listener at the signal. */
async function expectNothingPending(
  { proxy, fetches }: { proxy: FaultProxy; fetches: { started: number } },
  signal: AbortSignal,
): Promise<void> {
  const { started } = fetches
  expect(getEventListeners(signal, 'abort')).toEqual([])
  await expect.poll(() => proxy.inFlight).toBe(0)
  await wait(100)
  expect(fetches.started).toBe(started)
}

test('an attempt that takes longer than timeoutMs is repeated', async () => {
  const { proxy, storedex } = await connectThrough({ weights: { pass: 1 } })
  proxy.script.push('stall', 'stall')
  expect((await storedex.usage.get({ timeoutMs: 2_000 })).object).toBe('usage')
  expect(proxy.exchanges.map(({ fault }) => fault)).toEqual(['stall', 'stall', 'pass'])
})

test.for(Object.entries(calls))('totalTimeoutMs ends a %s, and nothing is left pending', async ([, call]) => {
  const through = await connectThrough({ weights: { stall: 1, unavailable: 1, cut_after: 1 } })
  const { signal } = new AbortController()
  const options = { timeoutMs: 60, totalTimeoutMs: 150, maxRetries: 1_000, signal }
  const failure = await failureOf(call(through.storedex, options))
  expect(failure).toBeInstanceOf(StoredexError)
  expect(failure.code).toMatch(/^(timeout|connection_failed|service_unavailable|unexpected_reply)$/)
  await expectNothingPending(through, signal)
})

test('a total timeout in the middle of an attempt is a TimeoutError', async () => {
  const { storedex } = await connectThrough({ weights: { stall: 1 } })
  await expect(storedex.usage.get({ totalTimeoutMs: 80 })).rejects.toBeInstanceOf(TimeoutError)
})

test.for(Object.entries(calls))('an abort ends a %s at once, and nothing is left pending', async ([, call]) => {
  // In a request, and in the wait between two.
  for (const options of [{ weights: { stall: 1 } }, { weights: { unavailable: 1 }, retryAfter: ['50'] }]) {
    const through = await connectThrough(options)
    const { proxy } = through
    const controller = new AbortController()
    const ending = failureOf(call(through.storedex, { signal: controller.signal }))
    await expect.poll(() => proxy.inFlight + proxy.exchanges.length).toBeGreaterThan(0)
    // The client waits for its next attempt.
    if (options.retryAfter) await expect.poll(() => proxy.inFlight === 0 && proxy.exchanges.length > 0).toBe(true)
    const reason = new Error('no longer needed')
    controller.abort(reason)
    const failure = await ending
    expect(failure).toBeInstanceOf(AbortError)
    expect(failure.cause).toBe(reason)
    await expectNothingPending(through, controller.signal)
  }
})

test.for(Object.entries(calls))('an aborted signal lets no %s begin', async ([, call]) => {
  const { proxy, storedex } = await connectThrough({ weights: { pass: 1 } })
  const failure = await failureOf(call(storedex, { signal: AbortSignal.abort() }))
  expect(failure).toBeInstanceOf(AbortError)
  expect(proxy.exchanges).toEqual([])
})

test('a Retry-After longer than a minute ends the call, and is told', async () => {
  const { proxy, storedex } = await connectThrough({ weights: { unavailable: 1 }, retryAfter: ['61'] })
  const failure = await failureOf(storedex.usage.get())
  expect([failure.status, failure.retryAfterMs, proxy.exchanges.length]).toEqual([503, 61_000, 1])
})

test('neither errors nor the client show the key', async () => {
  const { storedex } = await connectThrough({ weights: { cut_before: 1, unavailable: 1 } })
  const failures = await Promise.all(Object.values(calls).map((call) => failureOf(call(storedex, { maxRetries: 1 }))))
  for (const shown of [storedex, ...failures]) {
    const text =
      inspect(shown, { depth: 20, showHidden: true }) +
      JSON.stringify(shown) +
      (shown instanceof Error ? shown.stack : '')
    expect(text).not.toContain(key.secret)
    expect(text).not.toContain(key.secret.slice(-30))
  }
})
