import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync, gunzipSync, inflateSync } from 'node:zlib'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runCommand } from '../../../doors/cli/support/run-command.ts'
import type { TestKey } from '../../../support/app.ts'
import { atEnd } from '../../../support/cleanup.ts'
import { type ClosingApp, dayMs, startClosingApp } from '../support/closing.ts'

let world: ClosingApp
let folder: string
beforeAll(async () => {
  world = await startClosingApp('2025-01-10T12:00:00.000Z')
  folder = await mkdtemp(join(tmpdir(), 'storedex-archives-'))
})
atEnd(() => rm(folder, { recursive: true }))

let key: TestKey
let other: TestKey
/** Two accounts with packed entries of January and February, and rows of June. */
beforeEach(async () => {
  await world.app.db.query(`truncate ledger, ledger_archives, ledger_rollups, store_exports, export_rollups,
                                     usage_counters, key_counters, reveals, request_windows, clock_readings`)
  world.app.clock.set('2025-01-10T12:00:00.000Z')
  ;[key, other] = [await world.open(), await world.open()]
  await world.spend(key, 3)
  await world.spend(other, 2)
  world.app.clock.set('2025-02-10T12:00:00.000Z')
  await world.spend(key, 4)
  world.app.clock.set('2025-05-10T12:00:00.000Z')
  await world.close()
  await world.passDays(1)
  world.app.clock.set('2025-06-10T12:00:00.000Z')
  await world.close()
  await world.spend(key, 1)
  await world.passDays(1)
})

const packedOfKey = 3 + 1 + 4 + 1
const packed = packedOfKey + 2 + 1

test('the months of an account are two archives, and the ledger check passes', async () => {
  expect(await world.check()).toMatchObject({ code: 0, archived: packed, entries: packed + 2, differences: [] })
  expect(await world.count('ledger_archives', key)).toBe(2)
  expect(await world.count('ledger', key)).toBe(2)
})

test('an archive of before it was recorded who spent stays readable, with its digest', async () => {
  const shown = await world.show(key)
  expect(shown).toMatchObject(Array(shown.length).fill({ key: key.id, person: null }))
  const { rows } = await world.app.db.query<{ first_entry: number; packed: Buffer }>(
    'select first_entry, packed from ledger_archives where account_id = $1',
    [world.app.accountNumber(key.account)],
  )
  for (const { first_entry, packed } of rows) {
    const lines = inflateSync(packed).toString().trim().split('\n')
    const text = lines.map((line) => `${JSON.stringify(JSON.parse(line).slice(0, 7))}\n`).join('')
    await world.app.db.query('update ledger_archives set packed = $2, sha256 = $3 where first_entry = $1', [
      first_entry,
      deflateSync(text),
      createHash('sha256').update(text).digest(),
    ])
  }
  expect(await world.show(key)).toEqual(
    shown.map((each, index) => (index < packedOfKey ? { ...each, key: null } : each)),
  )
  expect(await world.check()).toMatchObject({ code: 0, differences: [] })
})

describe('ledger check finds an archive or roll-up that was tampered with', () => {
  const one = (table: string) =>
    `where account_id = $1 and first_entry = (select min(first_entry) from ${table} where account_id = $1)`
  test.each([
    [
      'an archive is changed',
      `update ledger_archives set packed = set_byte(packed, 20, 255 - get_byte(packed, 20)) ${one('ledger_archives')}`,
    ],
    ['the digest is changed', `update ledger_archives set sha256 = sha256('x') ${one('ledger_archives')}`],
    ['an archive is removed', `delete from ledger_archives ${one('ledger_archives')}`],
    ['an archive counts fewer entries', `update ledger_archives set entries = entries - 1 ${one('ledger_archives')}`],
    [
      'a roll-up is raised',
      `update ledger_rollups set amount = amount + 1 ${one('ledger_rollups')} and meter = 'store_exports'`,
    ],
    [
      'a roll-up counts more entries',
      `update ledger_rollups set entries = entries + 1 ${one('ledger_rollups')} and meter = 'store_exports'`,
    ],
    ['a roll-up is removed', `delete from ledger_rollups ${one('ledger_rollups')} and meter = 'contact_credits'`],
    [
      'fewer exports were dropped',
      `update export_rollups set stores = stores - 1 where account_id = $1 and period_start < '2025-02-01'`,
    ],
  ])('%s', async (_what, tampering) => {
    expect((await world.app.db.query(tampering, [world.app.accountNumber(key.account)])).rowCount).toBe(1)
    const { code, differences } = await world.check()
    expect(code).toBe(1)
    expect(new Set(differences.map(({ account }) => account))).toEqual(new Set([key.account]))
  })

  test('ledger check finds a roll-up and a counter that were changed to the same sum', async () => {
    const account = world.app.accountNumber(key.account)
    await world.app.db.query(
      `update ledger_rollups set amount = amount + 1 ${one('ledger_rollups')} and meter = 'store_exports'`,
      [account],
    )
    await world.app.db.query(
      `update usage_counters set used = used + 1
       where account_id = $1 and meter = 'store_exports' and period_start = '2025-01-01'`,
      [account],
    )
    await world.app.db.query(
      "update export_rollups set stores = stores + 1 where account_id = $1 and period_start = '2025-01-01'",
      [account],
    )
    const { differences } = await world.check()
    expect(differences).toEqual([
      {
        account: key.account,
        mode: 'live',
        meter: 'store_exports',
        period_start: '2025-01-01T00:00:00.000Z',
        ledger: 4,
        archive: 3,
        first_entry: expect.any(Number),
      },
    ])
  })

  test('every command that opens a damaged archive reports it', async () => {
    await world.app.db.query(`update ledger_archives set packed = substring(packed for 30) ${one('ledger_archives')}`, [
      world.app.accountNumber(key.account),
    ])
    const refusal = { code: 1, stderr: expect.stringMatching(/^An archive of the ledger is damaged/) }
    expect(await runCommand(world.app.deps, ['ledger', 'show', key.account])).toMatchObject(refusal)
    const file = join(folder, 'damaged.ndjson')
    expect(await runCommand(world.app.deps, ['ledger', 'export', file, '--drop'])).toMatchObject(refusal)
    expect((await readdir(folder)).filter((name) => name.startsWith('damaged'))).toEqual([])
    const { rows } = await world.app.db.query('select from ledger_archives where packed is null')
    expect(rows).toHaveLength(0)
  })
})

interface Exported {
  account: string
  sha256: string
  entries: number
  text: string
}

const newFile = (name = 'ndjson') => join(folder, `${randomBytes(4).toString('hex')}.${name}`)
const exportTo = async (file: string, ...flags: string[]) => {
  const { code, stdout, stderr } = await runCommand(world.app.deps, ['ledger', 'export', file, ...flags, '--json'])
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}
const linesOf = (text: string): Exported[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('ledger export', () => {
  test('ledger export writes every packed entry with its digest and leaves the database unchanged', async () => {
    const file = newFile()
    expect(await exportTo(file)).toEqual({ archives: 3, entries: packed, dropped: 0, file })
    const lines = linesOf(await readFile(file, 'utf8'))
    for (const { sha256, text, entries } of lines) {
      expect(createHash('sha256').update(text).digest('hex')).toBe(sha256)
      expect(text.trim().split('\n')).toHaveLength(entries)
    }
    const shown = (await world.show(key)) as Record<string, unknown>[]
    const exported = lines
      .filter(({ account }) => account === key.account)
      .flatMap(({ text }) =>
        text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      )
    expect(
      exported.map(([, spent_at, mode, meter, amount, period_start, request_id, key, user]) => ({
        spent_at,
        mode,
        meter,
        amount,
        period_start,
        request_id,
        key: world.app.deps.ids.seal('key', key),
        person: user,
      })),
    ).toEqual(shown.slice(0, packedOfKey))
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await world.check()).toMatchObject({ code: 0, archived: packed })
    expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  test('ledger export --drop deletes the exported entries, and the ledger check still passes', async () => {
    const file = newFile('ndjson.gz')
    expect(await exportTo(file, '--before', '2025-02-01T00:00:00Z', '--drop')).toMatchObject({
      archives: 2,
      entries: 3 + 1 + 2 + 1,
      dropped: 2,
    })
    expect(linesOf(gunzipSync(await readFile(file)).toString()).map(({ entries }) => entries)).toEqual([4, 3])
    expect(await world.check()).toMatchObject({ code: 0, archived: packed, entries: packed + 2, differences: [] })
    expect(await world.show(key)).toHaveLength(4 + 1 + 2)
    expect(await world.show(other)).toEqual([])
    // The next export finds the rest.
    expect(await exportTo(newFile(), '--drop')).toMatchObject({ archives: 1, dropped: 1 })
    expect(await exportTo(newFile())).toEqual({ archives: 0, entries: 0, dropped: 0, file: null })
    expect(await world.check()).toMatchObject({ code: 0, archived: packed, differences: [] })
  })

  test('ledger check finds a changed roll-up of a dropped archive', async () => {
    await exportTo(newFile(), '--drop')
    const account = world.app.accountNumber(key.account)
    await world.app.db.query(
      "update ledger_rollups set amount = amount - 1 where account_id = $1 and meter = 'store_exports'",
      [account],
    )
    expect(await world.check()).toMatchObject({ code: 1 })
  })

  test('ledger export never overwrites a file and drops nothing that it could not write', async () => {
    const file = newFile()
    await exportTo(file)
    const written = await readFile(file, 'utf8')
    expect(await runCommand(world.app.deps, ['ledger', 'export', file, '--drop'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/already exists/),
    })
    expect(await readFile(file, 'utf8')).toBe(written)
    expect(await runCommand(world.app.deps, ['ledger', 'export', '/nowhere/at/all', '--drop'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^\/nowhere\/at\/all cannot be written: .*\.\n$/),
    })
    expect(await exportTo(newFile())).toMatchObject({ archives: 3 })
  })

  test('an invalid date or an unknown flag is a usage error', async () => {
    expect(await runCommand(world.app.deps, ['ledger', 'export', newFile(), '--before', 'spring'])).toMatchObject({
      code: 2,
    })
    expect(await runCommand(world.app.deps, ['ledger', 'close', '--soon'])).toMatchObject({ code: 2 })
  })

  test('dropping works during closing', async () => {
    world.app.clock.advance(140 * dayMs)
    await world.close()
    world.app.clock.advance(dayMs)
    await Promise.all([world.close(), exportTo(newFile(), '--drop')])
    expect(await world.check()).toMatchObject({ code: 0, archived: packed + 2, entries: packed + 2 })
  })
})
