import { rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { BroadcastChannel } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { runInThread } from '../../../../src/search/replica/thread.ts'
import { createTestDatabase } from '../../../support/database.ts'
import { randomFrom } from '../support/load.ts'
import { sendRequestOrThrow } from '../support/requests.ts'
import { subscribe } from '../support/service.ts'
import { catalogueSettings, listen, openCatalogue, openDepsInProcess } from './catalogue.ts'
import { deliveriesOf, drawApiQueries, expectSameAnswers } from './queries.ts'
import { bundle } from './search-processes.ts'

test('when the search thread dies PostgreSQL answers, then the replica again, and no request fails', async () => {
  const random = randomFrom(1)
  const { url } = await createTestDatabase()
  const catalogue = await openCatalogue(url, random)
  const reference = await listen(catalogue.deps)
  const settings = catalogueSettings(url)
  const thread = { file: await bundle('search-mortal-thread'), execArgv: [] }
  const deps = await openDepsInProcess({ ...settings, SEARCH_ENGINE: 'memory' }, { startReplica: runInThread(thread) })
  const api = await listen(deps)
  const { live: key } = await subscribe(settings, { store_exports: 1_000_000 })
  const engine = () => deps.search.status().engine
  await expect.poll(engine).toBe('memory')

  const channel = new BroadcastChannel('crash the search thread')
  const answered = { memory: 0, postgres: 0 }
  let isOver = false
  const client = async () => {
    while (!isOver) {
      const by = engine()
      const { body } = await sendRequestOrThrow(api, key, '/stores/search', { filters: {}, limit: 100 })
      expect(body.data).toHaveLength(100)
      answered[by]++
    }
  }
  const stopChanging = catalogue.keepChanging()
  const clients = Promise.all([client(), client()])
  clients.catch(() => {})
  const before = { ...answered }
  const hold = join(dirname(thread.file), 'hold')
  writeFileSync(hold, '')
  channel.postMessage('die')
  await expect.poll(engine).toBe('postgres')
  expect(deps.search.readinessFailure()).toContain('Search does not run in memory')
  await expect.poll(() => answered.postgres).toBeGreaterThan(before.postgres)
  rmSync(hold)
  await expect.poll(engine).toBe('memory')
  await stopChanging()
  isOver = true
  await clients
  channel.close()

  await deps.search.waitForBatch(await catalogue.batch())
  const questions = drawApiQueries(random, 8)
  expectSameAnswers(await deliveriesOf(api, key, questions), await deliveriesOf(reference, key, questions))
  expect(engine()).toBe('memory')
})
