import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { addPeople, generous, idsByFirstName, reveal } from './reveal-world.ts'

let app: TestApp
/** By first name. */
let ids: Record<string, string>
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  await addPeople(app)
  ids = await idsByFirstName(await app.key({}))
})

const newKey = (credits = 100) => app.key({ limits: { ...generous, contact_credits: credits } })

describe('a revealed person', () => {
  test('is told whole, with every deliverable channel and nothing else', async () => {
    const key = await newKey()
    const reply = await reveal(key, [ids.Mara])
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({
      object: 'contact_reveal_result',
      credits: { spent: 1, remaining: 99 },
      data: [
        {
          id: ids.Mara,
          object: 'contact',
          full_name: 'Mara Lindqvist',
          first_name: 'Mara',
          last_name: 'Lindqvist',
          title: 'Head of Marketing',
          role: 'marketing',
          seniority: 'decision_maker',
          profile_url: 'https://people.example/mara-lindqvist',
          reveal_status: 'newly_revealed',
          charged: true,
          emails: [
            { email: 'mara@first-shop.example', status: 'verified', type: 'work', is_primary: true },
            { email: 'mara.l@post.example', status: 'unverified', type: 'personal', is_primary: false },
          ],
          phones: [
            { phone: '+1 202-555-0143', type: 'office', is_primary: true },
            { phone: '+1 202-555-0144', type: 'mobile', is_primary: false },
          ],
          store: { id: expect.stringMatching(/^st_live_/), domain: 'first-shop.example', name: 'First Shop' },
          revealed_at: '2026-11-10T12:00:00.000Z',
        },
      ],
      request_id: reply.headers.get('x-request-id'),
    })
    expect(reply.headers.get('cache-control')).toBe('no-store')
    expect(reply.headers.get('x-contact-credits-remaining')).toBe('99')
    expect(reply.headers.get('x-store-exports-remaining')).toBe('4999')
  })
})
