import { expect, test } from 'vitest'
import { expectNothingLost } from './support/reveals.ts'
import { startPair } from './support/servers.ts'

test('with two hosts in DATABASE_URL, a primary that is killed loses nothing acknowledged, and the service finds the other', async () => {
  const { primary, standby, database, promote } = await startPair()
  const url = `postgres://storedex@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/${database}`
  const service = await expectNothingLost({ DATABASE_URL: url }, async () => {
    await primary.kill()
    await promote()
  })
  expect(service.log()).not.toContain(url)
  expect(await service.stop()).toBe(0)
})
