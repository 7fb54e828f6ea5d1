import { join } from 'node:path'
import { expect, test } from 'vitest'
import { proofKills } from '../../../../bin/tests/proof-runs.ts'
import { temporaryDirectory } from '../../../../packages/embedded-postgres/test/support.ts'
import { changeAccount, createAccount } from '../../../src/customers/administration/change-account.ts'
import { createKey } from '../../../src/customers/keys/create-key.ts'
import { commandsOf } from '../../support/deps.ts'
import { randomFrom } from './support/load.ts'
import { sendRequest, sendRequestOrThrow } from './support/requests.ts'
import { killPostgres, startService, waitUntilReady, withDeps } from './support/service.ts'
import { expectBalancedLedger, importUsers, usersSettings } from './support/users.ts'

const kills = proofKills(12, 3)
const seed = Date.now() % 1_000_000
const clients = 6
const stores = 60

test(`what searches add to lists is paid once, over ${kills} kills (seed ${seed})`, {
  timeout: 120_000 + kills * 15_000,
}, async () => {
  const random = randomFrom(seed)
  const dataDir = join(temporaryDirectory(), 'data')
  const settings = { DATA_DIR: dataDir, ...usersSettings }
  let service = await startService(settings)
  await importUsers(settings, stores)
  const { secret: key } = await withDeps(settings, async (deps) => {
    const context = commandsOf(deps)
    const account = await createAccount(context, { name: 'Lists', plan: 'enterprise' })
    const id = deps.ids.seal('account', account.id)
    const limits = { requests_per_minute: 1_000_000, requests_per_day: 1_000_000, search_rows: 1_000_000 }
    await changeAccount(context, id, { limits })
    return createKey(context, account.id, { name: 'lists', scopes: ['stores:read', 'contacts:search', 'lists:manage'] })
  })

  const itemsAndRows = () =>
    withDeps(settings, async ({ db }) => {
      const { rows } = await db.query<{ items: number; counted: number; spent: number }>(`
        select (select count(*)::integer from list_stores) + (select count(*)::integer from list_contacts) as items,
               (select coalesce(sum(items), 0)::integer from lists) as counted,
               (select coalesce(sum(used), 0)::integer from usage_counters where meter = 'search_rows') as spent`)
      return rows[0]!
    })

  let answered = 0
  for (let killed = 0; killed < kills; killed++) {
    await waitUntilReady(service)
    // New lists each time, so that there is something to add.
    const lists: { path: string; from: object }[] = []
    for (const [kind, from] of [
      ['stores', { filters: {} }],
      ['contacts', { max_contacts_per_store: 2 }],
    ] as const) {
      const made = await sendRequest(service.api, key, '/lists', { name: `${kind} ${killed}`, kind })
      lists.push({ path: `/lists/${made!.body.id}/items`, from })
    }
    const killAfter = random() * 20
    let replies = 0
    let ending: Promise<unknown> | undefined
    const end = () => Promise.all([service.kill(), ...(killed % 4 === 3 ? [killPostgres(dataDir)] : [])])
    const client = async () => {
      for (let max = 1 + Math.floor(random() * 3); max <= 2 * stores; max += 1 + Math.floor(random() * 6)) {
        const { path, from } = lists[Math.floor(random() * lists.length)]!
        const reply = await sendRequest(service.api, key, path, { from, max })
        if (reply?.status !== 200) return
        answered++
        if (++replies > killAfter) ending ??= end()
      }
    }
    await Promise.all(Array.from({ length: clients }, client))
    await (ending ?? end())
    service = await startService(settings)
    await waitUntilReady(service)

    const { items, counted, spent } = await itemsAndRows()
    expect({ items, counted }).toEqual({ items: spent, counted: spent })
    // Sent again, twice: the first adds and pays what is missing, the second finds all of it.
    for (const { path, from } of lists) {
      await sendRequestOrThrow(service.api, key, path, { from, max: stores })
      const again = await sendRequestOrThrow(service.api, key, path, { from, max: stores })
      expect(again.body).toMatchObject({ added: 0, already: stores })
    }
    await expectBalancedLedger(settings)
  }
  const { items, spent } = await itemsAndRows()
  expect(items).toBe(spent)
  expect(answered).toBeGreaterThan(kills)
  expect(await service.stop()).toBe(0)
})
