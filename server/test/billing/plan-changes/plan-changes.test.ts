import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { findProjectDir } from '../../../src/config.ts'
import { openPlansWorld } from '../support/subscriber.ts'
import { paidRows } from './paid-plans.test.ts'
import { trialRows } from './trials.test.ts'

const world = await openPlansWorld()
afterEach(async () => {
  await world.control('/settings', { after_retries: 'cancel' })
  // What a test is done with need not be billed any longer.
  for (const status of ['active', 'past_due', 'unpaid']) {
    const { data } = await world.stripe('GET', '/v1/subscriptions', { status })
    for (const { id } of data) await world.stripe('DELETE', `/v1/subscriptions/${id}`)
  }
})

const rows = { ...paidRows(world), ...trialRows(world) }

test.each(Object.entries(rows))('%s', (_row, happens) => happens())

test('the documentation tells of each of them, and of nothing else', () => {
  const guide = readFileSync(join(findProjectDir(import.meta.dirname), 'docs/api.md'), 'utf8')
  const section = guide.split('### What a change of the plan does\n')[1]!.split(/^##/m)[0]!
  const [_head, _rule, ...told] = [...section.matchAll(/^\| ([^|]+?) \|/gm)].map(([, what]) => what)
  expect(told).toEqual(Object.keys(rows))
})
