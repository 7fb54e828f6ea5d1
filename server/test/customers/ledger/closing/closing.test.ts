import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { closePeriodsExclusively } from '../../../../src/customers/ledger/closing/close-periods.ts'
import { runCommand } from '../../../doors/cli/support/run-command.ts'
import type { TestKey } from '../../../support/app.ts'
import { TableGate } from '../../../support/gate.ts'
import { type ClosingApp, dayMs, detailMonths, startClosingApp } from '../support/closing.ts'

const start = '2025-01-10T12:00:00.000Z'
let world: ClosingApp
beforeAll(async () => {
  world = await startClosingApp(start)
})
beforeEach(async () => {
  world.app.clock.set(start)
  await world.app.db.query(`truncate ledger, ledger_archives, ledger_rollups, store_exports, export_rollups,
                                     usage_counters, key_counters, reveals, request_windows, clock_readings`)
})

const soundCheck = { code: 0, differences: [] }

describe('a past period is closed', () => {
  test('exports of a past period are dropped once the account has a newer one, and all sums stay', async () => {
    const key = await world.open()
    await world.spend(key, 5)
    world.app.clock.set('2025-02-01T12:00:00.000Z')
    await world.spend(key, 3)
    await world.close()
    const before = await world.show(key)
    // January is closed two days after its end, once the clock was read on two days.
    expect(await world.passDays(2)).toMatchObject({ exports: 0 })
    expect(await world.passDays(3)).toMatchObject({ exports: 5, entries: 0, unbalanced: 0 })
    expect(await world.count('store_exports', key)).toBe(3)
    expect(await world.check()).toMatchObject({ ...soundCheck, entries: before.length, archived: 0 })
    expect(await world.show(key)).toEqual(before)
    expect(await world.passDays(20)).toMatchObject({ exports: 0, entries: 0 })
  })

  test('exports of an inactive account are kept as long as its entries', async () => {
    const key = await world.open()
    await world.spend(key, 4)
    expect(await world.passDays(60)).toMatchObject({ exports: 0, entries: 0 })
    expect(await world.passDays(60)).toMatchObject({ exports: 4 })
    expect(await world.check()).toMatchObject(soundCheck)
  })

  test('old entries are packed, and are listed and checked as before', async () => {
    const [key, other] = [await world.open(), await world.open()]
    for (const month of ['01', '02', '03', '04', '05']) {
      world.app.clock.set(`2025-${month}-20T12:00:00.000Z`)
      await world.spend(key, Number(month))
      await world.spend(other, 1)
    }
    const [before, ofOther] = [await world.show(key), await world.show(other)]
    const range = ['--since', '2025-02-01T00:00:00Z', '--until', '2025-04-21T00:00:00Z']
    const within = await world.show(key, ...range)
    const usage = (await key.get('/usage')).body

    await world.close()
    const closed = await world.passDays(1)
    // Entries of periods that were over two days before March: January only.
    expect(closed).toMatchObject({ entries: 2 + 2, archives: 2 })
    expect(await world.count('ledger', key)).toBe(before.length - 2)
    expect(await world.check()).toMatchObject({ ...soundCheck, archived: 4, entries: before.length + ofOther.length })
    expect(await world.show(key)).toEqual(before)
    expect(await world.show(other)).toEqual(ofOther)
    expect(await world.show(key, ...range)).toEqual(within)
    expect((await key.get('/usage')).body).toMatchObject({ store_exports: usage.store_exports })

    const csv = await runCommand(world.app.deps, ['ledger', 'show', key.account, '--csv'])
    expect(csv.stdout.trim().split('\r\n')).toHaveLength(before.length + 1)
    expect((await world.passDays(40)).entries).toBeGreaterThan(0)
    expect(await world.show(key)).toEqual(before)
    expect(await world.check()).toMatchObject(soundCheck)
  })

  test('a late charge into a closed period is accepted, checked, and closed by the next run', async () => {
    const key = await world.open()
    await world.spend(key, 3)
    await world.passDays(120)
    expect(await world.count('ledger', key)).toBe(0)
    // A charge by another server, whose clock is four months behind. This one remembers what was exported.
    const closedAt = world.app.clock.now()
    world.app.deps.charges.forgetExports()
    world.app.clock.set(start)
    await world.spend(key, 4)
    world.app.clock.set(closedAt)
    expect(await world.check()).toMatchObject(soundCheck)
    const shown = await world.show(key)
    expect(await world.passDays(2)).toMatchObject({ exports: 4, entries: 5, archives: 1 })
    expect(await world.check()).toMatchObject(soundCheck)
    expect(await world.show(key)).toEqual(shown)
    expect(await world.passDays(2)).toMatchObject({ exports: 0, entries: 0 })
  })

  test('a dry run counts what would be done and changes nothing', async () => {
    const key = await world.open()
    await world.spend(key, 3)
    world.app.clock.advance(130 * dayMs)
    await world.close()
    world.app.clock.advance(dayMs)
    expect(await world.close('--dry-run')).toMatchObject({ entries: 4, exports: 3, dry_run: true })
    expect(await world.count('ledger', key)).toBe(4)
    expect(await world.close()).toMatchObject({ entries: 4, exports: 3, dry_run: false })
  })

  test('exports that differ from the counter are kept, and the command reports them', async () => {
    const key = await world.open()
    await world.spend(key, 3)
    await world.app.db.query(
      'delete from store_exports where account_id = $1 and store_id in (select min(store_id) from store_exports)',
      [world.app.accountNumber(key.account)],
    )
    world.app.clock.advance(130 * dayMs)
    await world.close()
    world.app.clock.advance(dayMs)
    const { code, stderr } = await runCommand(world.app.deps, ['ledger', 'close'])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/not as many .*periods: 1.*ledger check/),
    })
    expect(await world.count('store_exports', key)).toBe(2)
  })
})

describe('a wrong clock does not close an open period', () => {
  /** A store exported in the current period is still free. */
  async function expectStillFree(key: TestKey): Promise<void> {
    const used = (await key.get('/usage')).body.store_exports.used
    expect((await key.get('/stores/closed-0.example')).status).toBe(200)
    expect((await key.get('/usage')).body.store_exports.used).toBe(used)
  }

  test('nothing is closed before the clock was read on two days', async () => {
    const key = await world.open()
    await world.spend(key, 2)
    world.app.clock.advance(400 * dayMs)
    expect(await world.close()).toMatchObject({ until: null, exports: 0, entries: 0 })
    world.app.clock.advance(dayMs / 2)
    const { stdout } = await runCommand(world.app.deps, ['ledger', 'close'])
    expect(stdout).toMatch(/^Nothing is closed yet: /)
    world.app.clock.advance(dayMs)
    expect(await world.close()).toMatchObject({ exports: 2, entries: 3 })
  })

  test('a clock that jumps ahead by ten years and back closes nothing, however often closing runs', async () => {
    const key = await world.open()
    await world.spend(key, 3)
    await world.passDays(3)
    const rightTime = world.app.clock.now()
    for (const years of [10, 1, 10]) {
      world.app.clock.set(new Date(rightTime.getTime() + years * 365 * dayMs))
      expect(await world.close()).toMatchObject({ exports: 0, entries: 0 })
      world.app.clock.advance(dayMs / 4)
      expect(await world.close()).toMatchObject({ exports: 0, entries: 0 })
      world.app.clock.set(rightTime)
      expect(await world.close()).toMatchObject({ exports: 0, entries: 0 })
    }
    expect(await world.count('store_exports', key)).toBe(3)
    await expectStillFree(key)
    // Readings of the wrong clock were deleted: the right clock closes as usual.
    await world.passDays(125)
    expect(await world.count('ledger', key)).toBe(0)
    expect(await world.check()).toMatchObject(soundCheck)
  })

  test('an account keeps the exports of its newest period even if the clock readings are wrong', async () => {
    const key = await world.open()
    await world.spend(key, 3)
    await world.app.db.query("insert into clock_readings values ('2025-03-01T00:00:00Z')")
    world.app.clock.set('2025-03-02T00:00:00.000Z')
    expect(await world.close()).toMatchObject({ exports: 0, until: '2025-03-01T00:00:00.000Z' })
    world.app.clock.set(start)
    await expectStillFree(key)
  })
})

describe('closing keeps all sums at every moment', () => {
  const entries = 9_000

  /** Inserts entries and exports of a past period, enough for several batches. */
  async function fill(key: TestKey): Promise<void> {
    const account = world.app.accountNumber(key.account)
    const period = '2025-01-01T00:00:00Z'
    await world.app.db.query(
      `insert into ledger (account_id, mode, meter, period_start, amount, request_id, spent_at)
       select $1, 'live', 'store_exports', $2, 1, 'req_' || n, $2::timestamptz + n * interval '1 second'
       from generate_series(1, $3::integer) n
       order by n`,
      [account, period, entries],
    )
    await world.app.db.query(
      `insert into store_exports (account_id, mode, period_start, store_id, exported_at)
       select $1, 'live', $2, 1000000 + n, $2 from generate_series(1, $3::integer) n`,
      [account, period, entries],
    )
    await world.app.db.query(
      `insert into usage_counters (account_id, mode, meter, period_start, used, allowance)
       values ($1, 'live', 'store_exports', $2, $3::integer, $3::integer)`,
      [account, period, entries],
    )
  }

  async function makeClosable(): Promise<TestKey> {
    const key = await world.open()
    await fill(key)
    world.app.clock.advance(130 * dayMs)
    await world.close()
    world.app.clock.advance(dayMs)
    return key
  }

  const ctx = () => ({ db: world.app.db, now: world.app.clock.now(), detailMonths })

  test('closing can be stopped after any batch and is finished by the next run', async () => {
    const key = await makeClosable()
    const before = await world.show(key)
    let batches = 0
    for (let isDone = false; !isDone; batches++) {
      const stopping = new AbortController()
      const closed = await closePeriodsExclusively(ctx(), { stop: stopping.signal, onProgress: () => stopping.abort() })
      // The app's own task is closing at the moment.
      if (!closed) continue
      isDone = !stopping.signal.aborted
      expect(closed.entries).toBeLessThanOrEqual(2_000)
      expect(await world.check()).toMatchObject({ ...soundCheck, entries })
    }
    expect(batches).toBeGreaterThan(8)
    expect(await world.count('ledger', key)).toBe(0)
    expect(await world.count('store_exports', key)).toBe(0)
    expect(await world.show(key)).toEqual(before)
  })

  test.each(['export_rollups', 'ledger_archives', 'ledger_rollups'])(
    'closing survives a connection killed before it writes to %s',
    async (table) => {
      const key = await makeClosable()
      const before = await world.show(key)
      const gate = await TableGate.close(world.app.deps.databaseUrl, table)
      const closing = closePeriodsExclusively(ctx()).then(
        () => 'closed',
        () => 'failed',
      )
      await world.app.db.query('select pg_terminate_backend(pid) from unnest($1::integer[]) as pid', [
        await gate.waiting(),
      ])
      expect(await closing).toBe('failed')
      await gate.open()
      expect(await world.check()).toMatchObject({ ...soundCheck, entries })
      await closePeriodsExclusively(ctx())
      expect(await world.count('ledger', key)).toBe(0)
      expect(await world.count('store_exports', key)).toBe(0)
      expect(await world.check()).toMatchObject({ ...soundCheck, entries })
      expect(await world.show(key)).toEqual(before)
    },
  )

  test('closing runs beside charges and checks of the account', async () => {
    const key = await makeClosable()
    let isClosing = true
    let charges = 0
    const charge = async () => {
      for (; isClosing; charges++) await key.get(`/stores/closed-${charges % 30}.example`)
    }
    const look = async () => {
      while (isClosing) expect(await world.check()).toMatchObject(soundCheck)
    }
    const besides = [charge(), look(), look()]
    await closePeriodsExclusively(ctx(), { rest: 3 }).finally(() => {
      isClosing = false
    })
    await Promise.all(besides)
    expect(charges).toBeGreaterThan(0)
    expect(await world.check()).toMatchObject(soundCheck)
    expect(await world.count('store_exports', key)).toBe(Math.min(charges, 30))
  })

  test('of several concurrent runs one closes and the others do nothing', async () => {
    const key = await makeClosable()
    const runs = await Promise.all(Array.from({ length: 3 }, () => closePeriodsExclusively(ctx())))
    expect(runs.filter((run) => run !== null).length).toBeGreaterThan(0)
    expect(runs.reduce((sum, run) => sum + (run?.entries ?? 0), 0)).toBe(entries)
    expect(await world.count('ledger', key)).toBe(0)
    expect(await world.check()).toMatchObject({ ...soundCheck, entries })
  })
})
