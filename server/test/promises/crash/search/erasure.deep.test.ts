import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { findDocument, type Segment } from '@storedex/search-index'
import { expect, test } from 'vitest'
import { eraseContacts } from '../../../../src/catalogue/erasure/erase-contacts.ts'
import { command } from '../../../../src/customers/auth/actor.ts'
import { modes, splitContactKey } from '../../../../src/foundation/kernel/ids.ts'
import type { SegmentLists, StartReplica } from '../../../../src/search/replica/replica.ts'
import { runInProcess } from '../../../../src/search/replica/replica-sync.ts'
import { readSnapshotFile } from '../../../../src/search/replica/snapshot-file.ts'
import { createTestDatabase } from '../../../support/database.ts'
import { randomFrom } from '../support/load.ts'
import { sendRequestOrThrow } from '../support/requests.ts'
import { subscribe } from '../support/service.ts'
import { catalogueSettings, listen, openCatalogue, openDepsInProcess } from './catalogue.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const segmentsOf = (lists: SegmentLists) => modes.flatMap((mode) => lists[mode].map(({ segment }) => segment))

/** Whether a segment contains a person, also in a dead copy of the store. */
function tellsOf(segment: Segment, person: { storeId: number; number: number }): boolean {
  const { contactStarts, contactNumbers } = segment
  const document = findDocument(segment, person.storeId)
  if (document < 0) return false
  return contactNumbers.subarray(contactStarts[document], contactStarts[document + 1]).includes(person.number)
}

test('an erased person is not found, and soon neither in memory nor on disk', async () => {
  const { url } = await createTestDatabase()
  const catalogue = await openCatalogue(url, randomFrom(3))
  const settings = catalogueSettings(url)
  // Segments still in use.
  const shown: WeakRef<Segment>[] = []
  const startReplica: StartReplica = ({ timings, ...rest }, listener) =>
    runInProcess(
      { ...rest, timings: { ...timings, pollMs: 10, purgeAfterMs: 200 } },
      {
        ...listener,
        onIndex: (view) => {
          if (view) shown.push(...segmentsOf(view.lists).map((segment) => new WeakRef(segment)))
          listener.onIndex(view)
        },
      },
    )
  const deps = await openDepsInProcess({ ...settings, SEARCH_ENGINE: 'memory' }, { startReplica })
  const { live: key } = await subscribe(settings, { store_exports: 1_000_000 })
  const api = await listen(deps)
  const snapshot = async () => {
    const folder = join(deps.config.dataDir, 'search')
    const name = readdirSync(folder).find((entry) => entry.endsWith('.snapshot'))
    return segmentsOf((await readSnapshotFile(join(folder, name!)))!.snapshot.lists)
  }
  const inMemory = () => {
    collectGarbage()
    return shown.map((segment) => segment.deref()).filter((segment) => segment !== undefined)
  }
  const idsFound = async () => {
    const body = { max_contacts_per_store: 10, limit: 100 }
    return ((await sendRequestOrThrow(api, key, '/contacts/search', body)).body.data as { id: string }[]).map(
      ({ id }) => id,
    )
  }
  await deps.search.waitForBatch(await catalogue.batch())
  await expect.poll(() => deps.search.status().report?.snapshot?.batch).toBe(await catalogue.batch())

  const [id] = await idsFound()
  const person = splitContactKey(deps.ids.open(id!)!.value)
  expect(inMemory().some((segment) => tellsOf(segment, person))).toBe(true)
  expect((await snapshot()).some((segment) => tellsOf(segment, person))).toBe(true)

  await eraseContacts({ ...catalogue.deps, actor: command }, { id: id! })
  expect(await idsFound()).not.toContain(id)
  await expect.poll(() => inMemory().some((segment) => tellsOf(segment, person))).toBe(false)
  await expect.poll(async () => (await snapshot()).some((segment) => tellsOf(segment, person))).toBe(false)
  expect(inMemory()).not.toEqual([])
  expect(deps.search.status()).toMatchObject({ engine: 'memory', batch: await catalogue.batch() })
})
