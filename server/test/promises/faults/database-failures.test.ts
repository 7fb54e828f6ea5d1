import { classifyDatabaseError } from '@storedex/pg-lanes/failures'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { isEnvironmentError } from '../../../src/program/serving/process.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  await app.db.query(`
    create function fail() returns trigger language plpgsql as $$
      begin raise exception 'could not open file "base/1/2"' using errcode = tg_argv[0]; end
    $$`)
})

/** Makes every insert into the table fail with this SQLSTATE, as a failing disk would. */
async function whileFailing(table: string, state: string, work: () => Promise<void>): Promise<void> {
  await app.db.query(`create trigger fails before insert on ${table} for each row execute function fail('${state}')`)
  try {
    await work()
  } finally {
    await app.db.query(`drop trigger fails on ${table}`)
  }
}

describe('a database without usable disk, files or memory', () => {
  test.each([
    ['no room on the disk', '53100'],
    ['a missing file', '58P01'],
    ['an input/output error', '58030'],
    ['a file without permission', '42501'],
    ['an internal error', 'XX000'],
    ['a damaged page', 'XX001'],
    ['no memory', '53200'],
    ['a server that became a standby', '25006'],
  ])('%s is answered with 503, not 500', async (_what, state) => {
    const key = await app.key({})
    await whileFailing('request_windows', state, async () => {
      const { status, body, headers } = await key.get('/usage')
      expect([status, body.error.code]).toEqual([503, 'service_unavailable'])
      expect(headers.get('retry-after')).toBe('1')
      expect(JSON.stringify(body)).not.toContain('base/1')
    })
    expect((await key.get('/usage')).status).toBe(200)
  })
})

describe('/readyz', () => {
  const ready = async () => {
    const reply = await fetch(`${app.url}/readyz`)
    return { status: reply.status, body: await reply.text() }
  }

  test.each([
    ['53100', 'its disk is full'],
    ['58P01', 'cannot use its files'],
    ['42501', 'a permission is missing'],
  ])('is a 503 with the reason while writes fail (%s), and a 200 afterwards', async (state, reason) => {
    await expect.poll(async () => (await ready()).status).toBe(200)
    await whileFailing('readiness_probe', state, async () => {
      await expect.poll(async () => (await ready()).status).toBe(503)
      expect((await ready()).body).toContain(reason)
    })
    await expect.poll(async () => (await ready()).status).toBe(200)
    expect((await app.db.query('select from readiness_probe')).rowCount).toBe(0)
  })

  test('queries the database no more often for a thousand probes than for one', async () => {
    const check = vi.spyOn(app.deps.health, 'check')
    onTestFinished(() => check.mockRestore())
    const startedAt = performance.now()
    const replies = await Promise.all(Array.from({ length: 200 }, ready))
    expect(replies.every(({ status }) => status === 200)).toBe(true)
    // At most one per second, and the server's own check.
    expect(check.mock.calls.length).toBeLessThanOrEqual(2 + (performance.now() - startedAt) / 1_000)
  })
})

test('environment errors are distinguished from defects', () => {
  const system = (code: string, syscall: string) => Object.assign(new Error(code), { code, syscall })
  for (const error of [
    system('EMFILE', 'open'),
    system('ENOSPC', 'write'),
    system('ECONNRESET', 'read'),
    Object.assign(new Error('terminating connection'), { code: '57P01' }),
    new Error('Connection terminated unexpectedly'),
  ])
    expect(isEnvironmentError(error)).toBe(true)
  for (const error of [new TypeError('x is not a function'), new Error('anything'), 'text', undefined])
    expect(isEnvironmentError(error)).toBe(false)
  expect(classifyDatabaseError(Object.assign(new Error('duplicate'), { code: '23505' }))).toBe(undefined)
})
