import { expect, test } from 'vitest'
import { run } from '../../../../packages/embedded-postgres/test/support.ts'
import { hasHaproxy, startHaproxy } from './support/haproxy.ts'
import { expectNothingLost } from './support/reveals.ts'
import { startPair } from './support/servers.ts'

if (!hasHaproxy) console.error('haproxy is not installed here: the failover through it is not tested.')

test.skipIf(!hasHaproxy)(
  'behind haproxy as deploy/postgresql sets it up, a primary that is killed loses nothing acknowledged',
  async () => {
    const { primary, standby, database, promote } = await startPair()
    await run(primary.urlOf('postgres'), 'create role haproxy_check login')
    const port = await startHaproxy([primary.port, standby.port])
    const service = await expectNothingLost(
      { DATABASE_URL: `postgres://storedex@127.0.0.1:${port}/${database}` },
      async () => {
        await primary.kill()
        await promote()
      },
    )
    expect(await service.stop()).toBe(0)
  },
)
