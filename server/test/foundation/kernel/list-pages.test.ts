import { expect, test } from 'vitest'
import { startTestApp } from '../../support/app.ts'

test('pages follow each other to the last row, and only the last has no next', async () => {
  const app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  const key = await app.key({ scopes: ['lists:manage'] })
  for (const name of ['one', 'two', 'three', 'four']) {
    await key.post('/lists', { name, kind: 'stores' })
    app.clock.advance(1_000)
  }
  const namesFrom = async (cursor: string | null): Promise<string[][]> => {
    const { body } = await key.get(`/lists?limit=2${cursor ? `&cursor=${cursor}` : ''}`)
    expect(body.has_more).toBe(body.next_cursor !== null)
    const names = body.data.map(({ name }: { name: string }) => name)
    return body.has_more ? [names, ...(await namesFrom(body.next_cursor))] : [names]
  }
  expect(await namesFrom(null)).toEqual([
    ['four', 'three'],
    ['two', 'one'],
  ])
})
