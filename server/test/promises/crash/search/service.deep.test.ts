import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, inject, onTestFinished, test } from 'vitest'
import { temporaryDirectory } from '../../../../../packages/embedded-postgres/test/support.ts'
import { findProjectDir } from '../../../../src/operations/config.ts'
import { connectClient, createTestDatabase } from '../../../support/database.ts'
import { runAsAdmin } from '../../../support/postgres.ts'
import { randomFrom } from '../support/load.ts'
import { sendRequestOrThrow } from '../support/requests.ts'
import { killPostgres, query, type Service, startService, subscribe, waitUntilReady } from '../support/service.ts'
import { importUsers, usersSettings } from '../support/users.ts'
import { catalogueSettings, listen, openCatalogue } from './catalogue.ts'
import { deliveriesOf, drawApiQueries, expectSameAnswers } from './queries.ts'

/** The service with its search in memory, compared with one over the same database that searches in PostgreSQL. */

/** 40 where the search alone is killed 1,000 times. */
const kills = Math.ceil(Number(process.env.STOREDEX_PROOF_KILLS ?? 12) / 25) + 1
const seed = Date.now() % 1_000_000

/** Waits until the replica has reached this batch. */
async function untilMemoryHas(service: Service, batch: number): Promise<void> {
  const isSo = async () => {
    const reply = await fetch(new URL('/readyz', service.api))
    return ((await reply.json()) as { search?: object }).search
  }
  await expect.poll(isSo, { timeout: 30_000 }).toMatchObject({ engine: 'memory', batch })
}

async function openWorld(random: () => number) {
  const { url } = await createTestDatabase()
  const catalogue = await openCatalogue(url, random)
  const settings = { ...catalogueSettings(url), DATA_DIR: temporaryDirectory(), SEARCH_ENGINE: 'memory' }
  const { live: key } = await subscribe(settings, { store_exports: 1_000_000 })
  const reference = await listen(catalogue.deps)
  /** Without changes, every page of both searches is equal. */
  const expectSame = async (service: Service, count: number) => {
    await untilMemoryHas(service, await catalogue.batch())
    const questions = drawApiQueries(random, count)
    expectSameAnswers(await deliveriesOf(service.api, key, questions), await deliveriesOf(reference, key, questions))
  }
  return { url, catalogue, settings, key, expectSame }
}

test(`a service killed ${kills} times during imports and erasures delivers the same as one over PostgreSQL (seed ${seed})`, {
  timeout: 120_000 + kills * 20_000,
}, async () => {
  const random = randomFrom(seed)
  const { catalogue, settings, key, expectSame } = await openWorld(random)
  for (let killed = 0; killed < kills; killed++) {
    const stopChanging = catalogue.keepChanging()
    const service = await startService(settings)
    await delay(random() * 500)
    await stopChanging()
    await expectSame(service, 6)
    const stopAgain = catalogue.keepChanging()
    await delay(random() * 500)
    await service.kill()
    await stopAgain()
    expect(service.log()).not.toContain('snapshot of the search index')
  }

  const service = await startService(settings)
  await waitUntilReady(service)
  const [somebody] = await findPeople(service, key, { limit: 1 })
  const atStore = { store: { domains: [somebody!.store.domain] }, max_contacts_per_store: 10, limit: 100 }
  const idsThere = async () => (await findPeople(service, key, atStore)).map(({ id }) => id)
  expect(await idsThere()).toContain(somebody!.id)
  await eraseByCommand(settings, somebody!.id)
  await expect.poll(idsThere).not.toContain(somebody!.id)
  await expectSame(service, 2)
  expect(await service.stop()).toBe(0)
})

interface Person {
  id: string
  store: { domain: string }
}

async function findPeople(service: Service, key: string, body: object): Promise<Person[]> {
  const { data } = (await sendRequestOrThrow(service.api, key, '/contacts/search', body)).body
  return data as Person[]
}

/** Erases a contact as an operator does, while the service runs. */
async function eraseByCommand(settings: Record<string, string>, id: string): Promise<void> {
  const launcher = join(findProjectDir(import.meta.dirname), 'bin/storedex.mjs')
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, ...settings }
  await promisify(execFile)(process.execPath, [launcher, 'contacts', 'erase', '--id', id], { env })
}

test('a database restored from a backup, under a running service or between two starts, is replicated again', {
  timeout: 120_000,
}, async () => {
  const random = randomFrom(2)
  const { url, catalogue, settings, expectSame } = await openWorld(random)
  const changeOften = async () => {
    for (let times = 0; times < 8; times++) await catalogue.change()
  }
  const service = await startService(settings)
  await waitUntilReady(service)
  const backup = await backUp(url)
  await changeOften()
  // The service tolerates its broken connections.
  await expectSame(service, 4)
  expect(service.log()).not.toContain('database history changed')

  await backup.restore()
  await changeOften()
  // The batch number alone does not show the restore.
  await expect.poll(() => service.log()).toContain('database history changed')
  await expectSame(service, 4)
  await service.kill()

  // The snapshot is of a discarded history, at a batch number that the database has reached again.
  await backup.restore()
  await changeOften()
  await changeOften()
  const next = await startService(settings)
  await expectSame(next, 4)
  expect(await next.stop()).toBe(0)
})

/** Copies a database in use; all connections to it break, then and at the restore. */
async function backUp(url: string): Promise<{ restore(): Promise<void> }> {
  const serverUrl = inject('postgresUrl')
  const admin = await connectClient(serverUrl)
  const name = new URL(url).pathname.slice(1)
  const copyName = `${name}_backup`
  onTestFinished(async () => {
    await admin.end()
    await runAsAdmin(serverUrl, `drop database if exists ${copyName} with (force)`)
  })
  const disconnect = async () => {
    await admin.query(`alter database ${name} with allow_connections false`)
    const isGone = async () => {
      // Processes of PostgreSQL's own, such as autovacuum, may not be ended, and are waited for by what follows.
      const { rows } = await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and backend_type = 'client backend'`,
        [name],
      )
      return rows.length === 0
    }
    await expect.poll(isGone, { interval: 20 }).toBe(true)
  }
  await disconnect()
  await runAsAdmin(serverUrl, `create database ${copyName} template ${name}`)
  await admin.query(`alter database ${name} with allow_connections true`)
  return {
    restore: async () => {
      await disconnect()
      await runAsAdmin(serverUrl, `drop database ${name}`)
      await runAsAdmin(serverUrl, `create database ${name} template ${copyName}`)
    },
  }
}

test('replication continues after PostgreSQL crashed under a running service', { timeout: 120_000 }, async () => {
  const dataDir = join(temporaryDirectory(), 'data')
  const settings = { ...usersSettings, DATA_DIR: dataDir, SEARCH_ENGINE: 'memory' }
  const service = await startService(settings)
  await waitUntilReady(service)
  const { live: key } = await subscribe(settings, { store_exports: 1_000_000 })
  await killPostgres(dataDir)
  const ids = await importUsers(settings, 20)
  await untilMemoryHas(service, Number((await query(dataDir, 'select batch from catalogue_state'))[0]!.batch))
  const found = await findPeople(service, key, { max_contacts_per_store: 10, limit: 100 })
  expect(found).toHaveLength(100)
  expect(ids).toEqual(expect.arrayContaining(found.map(({ id }) => id)))
  expect(service.log()).not.toContain('database history changed')
  expect(await service.stop()).toBe(0)
})
