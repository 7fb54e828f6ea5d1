import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { importContacts } from '../../../src/catalogue/imports/contacts/import-contacts.ts'
import { transact } from '../../../src/foundation/db/pool.ts'
import { openContact, openContactSeals } from '../../../src/foundation/encryption/keyring.ts'
import { generateDataKey, parseDataKeys } from '../../../src/foundation/kernel/seal.ts'
import { readSealedContacts, replaceSealedContacts } from '../../../src/operations/resealing/queries.ts'
import { readDataKeyStatus, resealEverything } from '../../../src/operations/resealing/reseal.ts'
import { addCrowd, generous, reveal, startSecondServer } from '../../product/contacts/support/reveals.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { testDataKeys } from '../../support/fixtures.ts'
import { TableGate } from '../../support/gate.ts'

const fresh = generateDataKey()
const freshId = fresh.split(':')[0]!
const rotatedRing = `${fresh},${testDataKeys}`

/** An app with people and a kept reply, sealed with the old key, and a second server with the old and the new key. */
async function startRotatedApp(people: number) {
  const app = await startTestApp({ now: '2026-11-21T12:00:00Z' })
  const ids = await addCrowd(app, people)
  const key = await app.key({ limits: generous })
  const kept = await reveal(key, ids.slice(0, 5), 'kept')
  expect(kept.status).toBe(200)
  const restarted = await startServerWith(app, rotatedRing)
  return { app, ids, key, kept, restarted, rotated: await openRing(app, rotatedRing) }
}

function startServerWith(app: TestApp, ring: string) {
  const config = { ...app.deps.config, dataKeys: parseDataKeys(ring)! }
  return startSecondServer({ ...app, deps: { ...app.deps, config } })
}

async function openRing(app: TestApp, ring: string) {
  return { db: app.db, seals: await openContactSeals(app.db, parseDataKeys(ring)!, '') }
}

async function emailsOnFile(app: TestApp, ring: string): Promise<string[]> {
  const { seals } = await openRing(app, ring)
  const { rows } = await app.db.query('select store_id, number, sealed from contacts order by store_id, number')
  return rows.map(
    ({ store_id, number, sealed }) => openContact(seals.sealer, store_id, number, sealed).emails[0]!.email,
  )
}

test('after a reseal the newest key alone opens everything, and replays are the same byte for byte', async () => {
  const { app, ids, key, kept, rotated } = await startRotatedApp(30)
  const before = await emailsOnFile(app, testDataKeys)
  expect(await readDataKeyStatus(rotated)).toEqual([
    { id: freshId, in_keyring: true, seals: true, contacts: 0, replies: 0, identity_key: false },
    { id: 'test', in_keyring: true, seals: false, contacts: 30, replies: 1, identity_key: true },
  ])
  const seen: number[] = []
  const result = await resealEverything(rotated, ({ done, total }) => seen.push(done, total))
  // The people, the reply and the identity key.
  expect(result).toEqual({ resealed: 32, remaining: 0 })
  // Of the contacts, the replies and the files of exports.
  expect(seen).toEqual([30, 31, 31, 31, 31, 31])
  expect(await readDataKeyStatus(rotated)).toEqual([
    { id: freshId, in_keyring: true, seals: true, contacts: 30, replies: 1, identity_key: true },
    { id: 'test', in_keyring: true, seals: false, contacts: 0, replies: 0, identity_key: false },
  ])

  expect(await emailsOnFile(app, fresh)).toEqual(before)
  const without = await startServerWith(app, fresh)
  const replayed = await reveal(without(key), ids.slice(0, 5), 'kept')
  expect(replayed.headers.get('idempotent-replayed')).toBe('true')
  expect(replayed.body).toEqual(kept.body)
  expect((await reveal(without(key), ids.slice(5, 8))).body.data).toHaveLength(3)
  // Identity hashes are unchanged.
  expect((await openRing(app, fresh)).seals.identities.hash('email', 'x@y.example')).toEqual(
    app.deps.seals.identities.hash('email', 'x@y.example'),
  )
  expect(await resealEverything(rotated)).toEqual({ resealed: 0, remaining: 0 })
})

test('a key can be removed once nothing is sealed with it, and not before', async () => {
  const { app, rotated } = await startRotatedApp(3)
  await transact(app.db, async (client) => {
    const rows = await readSealedContacts(client, { storeId: 0, number: -1 }, rotated.seals.sealer.newestPrefix, 10)
    expect(rows).toHaveLength(3)
  })
  await expect(openRing(app, fresh)).rejects.toThrow('the data key "test" is not in the keyring')
  await resealEverything(rotated)
  await openRing(app, fresh)
})

test('a reseal during imports, reveals and retries loses nothing', async () => {
  const { app, ids, key, kept, restarted, rotated } = await startRotatedApp(400)
  const caller = restarted(key)
  const renamed = ids.map((_, index) => ({
    store_domain: `crowd-${Math.floor(index / 10)}.example`,
    external_id: `person-${index}`,
    emails: [{ email: `renamed-${index}@crowd.example`, status: 'verified' }],
  }))
  const deps = { ...app.operator, seals: rotated.seals }
  const [result, , ...replies] = await Promise.all([
    resealEverything(rotated),
    importContacts(deps, {
      file: '-',
      stdin: Readable.from([renamed.map((record) => JSON.stringify(record)).join('\n')]),
      extendTaxonomy: false,
    }),
    ...Array.from({ length: 20 }, (_, index) => reveal(caller, ids.slice(index * 10, index * 10 + 10), `new-${index}`)),
    reveal(caller, ids.slice(0, 5), 'kept'),
  ])
  expect(result.remaining).toBe(0)
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
  expect(replies.at(-1)!.body).toEqual(kept.body)
  expect(await resealEverything(rotated)).toMatchObject({ remaining: 0 })
  expect(await emailsOnFile(app, fresh)).toEqual(ids.map((_, index) => `renamed-${index}@crowd.example`))
})

test('a reseal does not overwrite bytes that were written meanwhile', async () => {
  const { app, rotated } = await startRotatedApp(2)
  const { sealer } = rotated.seals
  await transact(app.db, async (client) => {
    const [row] = await readSealedContacts(client, { storeId: 0, number: -1 }, sealer.newestPrefix, 1)
    const { store_id: storeId, number, sealed } = row!
    const theirs = Buffer.from('theirs')
    const replaced = [
      { storeId, number, before: sealed!, after: theirs },
      { storeId, number, before: sealed!, after: Buffer.from('late') },
    ]
    expect(await replaceSealedContacts(client, replaced.slice(0, 1))).toBe(1)
    expect(await replaceSealedContacts(client, replaced.slice(1))).toBe(0)
    const { rows } = await client.query('select sealed from contacts where store_id = $1 and number = $2', [
      storeId,
      number,
    ])
    expect(rows).toEqual([{ sealed: theirs }])
  })
})

test('a killed reseal loses nothing, and the next run does the rest', async () => {
  const { app, rotated } = await startRotatedApp(10)
  await app.importContacts(
    Array.from({ length: 2_400 }, (_, index) => ({
      store_domain: 'crowd-0.example',
      emails: [{ email: `many-${index}@crowd.example` }],
    })),
  )
  const before = await emailsOnFile(app, testDataKeys)
  const program = join(import.meta.dirname, 'reseal-process.ts')
  const url = app.deps.databaseUrl
  const gate = await TableGate.close(url, 'contacts')
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), program, url, rotatedRing], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  // Between its second batch and its third.
  await gate.letPass()
  await gate.letPass()
  await gate.waiting()
  child.kill('SIGKILL')
  await ended
  await gate.open()

  expect(await emailsOnFile(app, rotatedRing)).toEqual(before)
  const [newest, oldest] = await readDataKeyStatus(rotated)
  expect(newest!.contacts).toBeGreaterThanOrEqual(1_000)
  expect(oldest!.contacts).toBeGreaterThan(0)
  const { resealed, remaining } = await resealEverything(rotated)
  expect({ resealed, remaining }).toEqual({
    resealed: oldest!.contacts + oldest!.replies + (oldest!.identity_key ? 1 : 0),
    remaining: 0,
  })
  expect(await emailsOnFile(app, fresh)).toEqual(before)
})

test('rows that do not open are left unchanged and reported; the others are resealed', async () => {
  const { app, rotated } = await startRotatedApp(5)
  const { rows } = await app.db.query(
    `update contacts set sealed = set_byte(sealed, length(sealed) - 1, get_byte(sealed, length(sealed) - 1) # 1)
     where number = 2 returning sealed`,
  )
  await expect(resealEverything(rotated)).rejects.toThrow(
    'Rows that cannot be opened were left unchanged: 1 (sealed bytes were altered, or moved from where they belong). Resealed: 6.',
  )
  expect((await app.db.query('select sealed from contacts where number = 2')).rows).toEqual(rows)
})
