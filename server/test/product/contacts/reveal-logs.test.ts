import { expect, test } from 'vitest'
import { createLogger } from '../../../src/foundation/runtime/logger.ts'
import { startTestApp } from '../../support/app.ts'
import { addPeople, firstShop, generous, idsByFirstName, people, reveal } from './support/reveals.ts'

test('no log line of any reveal holds a channel, a name, an id or an Idempotency-Key', async () => {
  const lines: string[] = []
  const app = await startTestApp({
    now: '2026-11-10T12:00:00.000Z',
    log: createLogger({ level: 'trace', destination: { write: (line: string) => void lines.push(line) } }),
  })
  await addPeople(app)
  const key = await app.key({ limits: { ...generous, contact_credits: 2 } })
  const ids = await idsByFirstName(key)
  const idempotencyKey = 'a-secret-of-the-caller'
  const outcomes = [
    await reveal(key, [ids.Mara], idempotencyKey),
    await reveal(key, [ids.Mara], idempotencyKey),
    await reveal(key, [ids.Ines], idempotencyKey),
    await reveal(key, [ids.Bruno]),
    await reveal(key, [ids.Ines, ids.Yuki]),
    await reveal(key, ['mara@first-shop.example']),
  ]
  await app.db.query("update contacts set sealed = 'broken'")
  outcomes.push(await reveal(key, [ids.Mara]), await reveal(key, [ids.Tomas], 'another-secret-of-the-caller'))
  expect(outcomes.map(({ status }) => status)).toEqual([200, 200, 409, 404, 402, 400, 500, 500])

  const logged = lines.join('')
  for (const { headers } of outcomes) expect(logged).toContain(headers.get('x-request-id'))
  const words = JSON.stringify(people).match(/[^"]*@[^"]*|https:[^"]*|\+1[^"]*|"(?:first|last|full)_name":"[^"]*/g)!
  const secrets = words.map((word) => word.replace(/^.*":"/, ''))
  expect(secrets.length).toBeGreaterThan(10)
  for (const secret of [...secrets, ...Object.values(ids), 'secret-of-the-caller', firstShop])
    expect(logged.includes(secret), `${secret} in the log`).toBe(false)
})
