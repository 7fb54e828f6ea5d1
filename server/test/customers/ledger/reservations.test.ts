import { beforeAll, expect, test } from 'vitest'
import { type MeterKey, releaseAmount, reserveAmount } from '../../../src/customers/ledger/reservation-queries.ts'
import { type Client, transact } from '../../../src/foundation/db/pool.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
})

async function newMeter(): Promise<MeterKey> {
  const { account } = await app.key({})
  const periodStart = app.clock.now()
  return { accountId: app.accountNumber(account), mode: 'live', meter: 'contact_credits', periodStart, keyId: null }
}

function reserve(meter: MeterKey, wanted: number, pass = (client: Client) => client): Promise<number> {
  return transact(app.db, (client) => reserveAmount(pass(client), meter, { wanted, allowance: 10, budget: null }))
}

/** Holds transactions after their first statement until two have come so far. */
function meetAfterFirstStatement(): (client: Client) => Client {
  let arrived = 0
  let meet = () => {}
  const met = new Promise<void>((resolve) => {
    meet = resolve
  })
  return (client) => {
    let isFirst = true
    const query = async (...args: Parameters<Client['query']>) => {
      const result = await client.query(...args)
      if (isFirst && ++arrived === 2) meet()
      isFirst = false
      await met
      return result
    }
    return new Proxy(client, { get: (target, name) => (name === 'query' ? query : Reflect.get(target, name)) })
  }
}

test('of two reservations at once, the second gets what the first leaves', async () => {
  const meter = await newMeter()
  await reserve(meter, 1)
  const pass = meetAfterFirstStatement()
  expect((await Promise.all([reserve(meter, 8, pass), reserve(meter, 8, pass)])).sort()).toEqual([1, 8])
})

test('what is released can be reserved again, and nothing more', async () => {
  const meter = await newMeter()
  expect([await reserve(meter, 20), await reserve(meter, 1)]).toEqual([10, 0])
  await transact(app.db, (client) => releaseAmount(client, meter, 4))
  expect(await reserve(meter, 20)).toBe(4)
})
