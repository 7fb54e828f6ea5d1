import { beforeAll, describe, expect, test } from 'vitest'
import { run } from '../../../../packages/embedded-postgres/test/support.ts'
import { sendRequestOrThrow } from '../../promises/crash/support/requests.ts'
import { tryReveal } from '../../promises/crash/support/reveal.ts'
import { startService, subscribe } from '../../promises/crash/support/service.ts'
import { expectBalancedLedger, importUsers, usersSettings } from '../../promises/crash/support/users.ts'
import { hasPgbouncer, startPgbouncer } from './support/pgbouncer.ts'
import { type OwnServer, startAlone } from './support/servers.ts'

if (!hasPgbouncer) console.error('PgBouncer 1.21 or newer is not installed here: the service is not tried behind it.')

describe.skipIf(!hasPgbouncer)('behind PgBouncer in transaction mode', () => {
  let server: OwnServer
  let database: string
  beforeAll(async () => {
    ;({ server, database } = await startAlone())
  })
  const settingsFor = (port: number) => ({
    ...usersSettings,
    DATABASE_URL: `postgres://storedex@127.0.0.1:${port}/${database}`,
    DATABASE_DIRECT_URL: server.urlOf(database),
  })

  test('as deploy/postgresql sets it up, requests share few sessions, and all else goes past it', async () => {
    const settings = settingsFor(
      await startPgbouncer(server, database, (recipe) =>
        recipe.replace('default_pool_size = 30', 'default_pool_size = 4'),
      ),
    )
    const service = await startService({ ...settings, SEARCH_ENGINE: 'memory' })
    const ids = await importUsers(settings, 10)
    const { live } = await subscribe(settings, { contact_credits: 1_000, store_exports: 1_000 })
    // Notifications of imports do not go through the pooler.
    const search = () => sendRequestOrThrow(service.api, live, '/stores/search', { filters: {}, limit: 10 })
    await expect.poll(async () => (await search()).body.data).toHaveLength(10)

    const replies: unknown[] = []
    // More at once would be refused as overload on a busy machine, as they should be.
    for (let start = 0; start < ids.length; start += 8) {
      const reveals = ids
        .slice(start, start + 8)
        .map((id, index) => tryReveal(service.api, live, { ids: [id], idempotencyKey: `once ${start + index}` }))
      for (const reply of await Promise.all([...reveals, search()])) replies.push(reply?.status)
    }
    expect(new Set(replies)).toEqual(new Set([200]))
    const { body } = await sendRequestOrThrow(service.api, live, '/usage')
    expect(body.contact_credits).toMatchObject({ used: ids.length })
    await expectBalancedLedger(settings)

    const sessions = await run(
      server.urlOf(database),
      "select application_name as name, count(*)::integer as sessions from pg_stat_activity where usename = 'storedex' group by 1",
    )
    const ofRequests = sessions.filter(({ name }) => name === 'storedex' || name === 'storedex health')
    expect(ofRequests.reduce((sum, each) => sum + Number(each.sessions), 0)).toBeLessThanOrEqual(4)
    expect(sessions.map(({ name }) => name)).toContain('storedex search')
    expect(service.log()).not.toContain('"status":500')
    expect(await service.stop()).toBe(0)
  })

  test.each([
    ['refuses the settings', /^ignore_startup_parameters.*$/m, /refuses the service's connections .*"PgBouncer"/],
    ['does not set them', /connect_query='[^']*'/, /has to set statement_timeout to 10s/],
  ])('one that %s ends the start with one sentence', async (_what, line, sentence) => {
    const port = await startPgbouncer(server, database, (recipe) => recipe.replace(line, ''))
    await expect(startService(settingsFor(port))).rejects.toThrow(sentence)
  })
})
