import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { knownStatuses } from '../../../src/customers/accounts/account.ts'
import { type OverridableMeter, planSlugs } from '../../../src/customers/accounts/plans.ts'
import { scopes } from '../../../src/customers/auth/caller.ts'
import { Refusal } from '../../../src/foundation/kernel/errors.ts'
import type { Mode } from '../../../src/foundation/kernel/ids.ts'
import { runCommand } from '../../doors/cli/support/run-command.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import { spendCredits } from './support/spend.ts'

const opening = '2027-12-30T23:00:00.000Z'
let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: opening })
  await app.importStores(
    Array.from({ length: 12 }, (_, index) => ({ domain: `agree-${index}.example`, name: `Agree ${index}` })),
  )
})

const hourMs = 3_600_000
const meters: OverridableMeter[] = ['contact_credits', 'trial_contact_credits', 'store_exports', 'search_rows']

type Step =
  | { do: 'wait'; hours: number }
  | { do: 'search'; limit: number }
  | { do: 'credits'; amount: number }
  | { do: 'set'; flags: string[] }

const moment = fc.integer({ min: -60, max: 200 }).map((days) => {
  return new Date(Date.parse(opening) + days * 24 * hourMs).toISOString()
})
const flags = fc.oneof(
  fc.constantFrom(...planSlugs.slice(1)).map((plan) => ['--plan', plan]),
  fc.constantFrom(...knownStatuses, 'trialing', 'active').map((status) => ['--status', status]),
  fc.oneof(moment, fc.constant('none')).map((end) => ['--trial-ends', end]),
  moment.map((start) => ['--period-start', start]),
  fc
    .tuple(fc.constantFrom(...meters), fc.oneof(fc.integer({ min: 0, max: 60 }), fc.constant('default')))
    .map(([meter, limit]) => ['--limit', `${meter}=${limit}`]),
)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 900 }) }),
  fc.record({ do: fc.constant('search' as const), limit: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ do: fc.constant('credits' as const), amount: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ do: fc.constant('set' as const), flags }),
)

async function take(key: TestKey, step: Step): Promise<void> {
  switch (step.do) {
    case 'wait':
      return app.clock.advance(step.hours * hourMs)
    case 'search':
      return void (await key.post('/stores/search', { filters: {}, limit: step.limit }))
    case 'credits':
      // Refused without enough credits or access.
      return void (await spendCredits(app, key, step.amount).catch((refusal) =>
        expect(refusal).toBeInstanceOf(Refusal),
      ))
    case 'set': {
      const { code, stderr } = await runCommand(app.deps, ['accounts', 'set', key.account, ...step.flags])
      if (code !== 0) expect(stderr).toMatch(/A trial needs a paid plan/)
    }
  }
}

test('accounts show prints the figures of GET /usage after any history', async () => {
  let compared = 0
  const modes: Mode[] = ['live', 'test']
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
      app.clock.set(opening)
      const live = await app.key({ scopes })
      const keys = { live, test: await app.keyOf(live.account, { scopes, mode: 'test' }) }
      for (const each of steps) {
        await take(live, each)
        for (const mode of modes) {
          const reply = await keys[mode].get('/usage')
          const shown = JSON.parse((await runCommand(app.deps, ['accounts', 'show', live.account, '--json'])).stdout)
          expect(reply.status).toBe(shown.api_access ? 200 : 403)
          if (reply.status !== 200) continue
          const { object, plan, billing, key, request_id, ...figures } = reply.body
          expect(figures).toEqual(shown.usage[mode])
          expect(plan).toMatchObject({
            slug: shown.plan,
            status: shown.status,
            trial: { active: shown.status === 'trialing', ends_at: shown.trial_ends_at },
          })
          expect(billing !== undefined).toBe(plan.trial.active)
          compared++
        }
      }
    }),
    { numRuns: 20 },
  )
  expect(compared).toBeGreaterThan(20)
})
