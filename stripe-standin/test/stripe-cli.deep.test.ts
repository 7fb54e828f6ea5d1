import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, secretKey, type World } from './support/world.ts'

const run = promisify(execFile)

/** The Stripe CLI of this machine; npm installs its package where it can. */
function stripeCli(): string | null {
  const name = `@stripe/cli-${process.platform}-${process.arch}`
  const file = process.platform === 'win32' ? 'stripe.exe' : 'stripe'
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name, 'bin', file)
    if (existsSync(path)) return path
    if (folder === dirname(folder)) return null
  }
}

const cli = stripeCli()
let world: World
let home: string
beforeAll(async () => {
  world = await openWorld()
  home = mkdtempSync(join(tmpdir(), 'stripe-cli-'))
})
afterAll(async () => {
  await world.close()
  rmSync(home, { recursive: true })
})

test
  .skipIf(cli === null)
  .each([
    'customer.subscription.updated',
    'customer.subscription.deleted',
    'customer.subscription.paused',
    'customer.subscription.trial_will_end',
    'invoice.paid',
    'invoice.payment_failed',
  ])('the Stripe CLI triggers %s, and the signed event arrives', async (type) => {
  world.receiver.events.length = 0
  const { stdout } = await run(cli!, ['trigger', type, '--api-base', world.url, '--api-key', secretKey], {
    env: { HOME: home, XDG_CONFIG_HOME: home, STRIPE_CLI_TELEMETRY_OPTOUT: '1' },
  })
  expect(stdout).toContain('Trigger succeeded')
  await world.settle()
  expect(world.receiver.types()).toContain(type)
})
