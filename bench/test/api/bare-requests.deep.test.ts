import { expect, test } from 'vitest'
import { startTestApp } from '../../../server/test/support/app.ts'
import { aurora } from '../../../server/test/support/fixtures.ts'
import { BareRequests, prepareCallers } from '../../api/limits/statements.ts'

test('the bare loop goes on when the service notes the last use of its key, and ends when the key is refused', async () => {
  const app = await startTestApp({ now: new Date().toISOString() })
  await app.importStores([aurora])
  const key = await app.key({ scopes: ['stores:read'] })
  const { db, plans } = app.operator
  const requests = new BareRequests(db, plans)
  const [caller] = await prepareCallers(db, plans, [key.secret])
  const lookUp = () => requests.lookup(caller!, aurora.domain)
  await lookUp()
  await db.query('update api_keys set last_used_at = now()')
  await lookUp()
  await app.revokeKey(key)
  await expect(lookUp()).rejects.toThrow()
})
