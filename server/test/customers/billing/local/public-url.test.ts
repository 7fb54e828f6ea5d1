import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startService } from '../support/service-process.ts'

const reachable = { PUBLIC_URL: 'https://shop.example' }

test('with a public PUBLIC_URL and no Stripe key, nothing is for sale and the start says so', async () => {
  const service = await startService(reachable)
  onTestFinished(service.stop)
  expect(service.billing).toBe(
    'closed, because others can reach the service and no Stripe key is set; set STRIPE_SECRET_KEY, or BILLING_STANDIN=1 to try it without money',
  )
  const { key } = await service.account()
  const refused = await key.post('/billing/subscription-link', { plan: 'pro' })
  expect(refused).toMatchObject({ status: 503, body: { error: { code: 'billing_provider_unavailable' } } })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  // The refused link does not count, and the status still works.
  expect(refused.headers.get('x-ratelimit-remaining')).toBe('5')
  expect(await key.get('/billing/status')).toMatchObject({ status: 200, body: { object: 'billing_status' } })
  expect(existsSync(join(service.dataDir, 'stripe-standin'))).toBe(false)
})

test('with a public PUBLIC_URL and BILLING_STANDIN=1 the stand-in runs', async () => {
  const service = await startService({ ...reachable, BILLING_STANDIN: '1' })
  onTestFinished(service.stop)
  expect(service.billing).toMatch(/^local stand-in at http:\/\/127\.0\.0\.1:\d+, no money moves$/)
  const { key } = await service.account()
  expect((await key.post('/billing/subscription-link', { plan: 'pro' })).status).toBe(200)
})
