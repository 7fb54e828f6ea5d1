import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../../../packages/embedded-postgres/test/support.ts'
import { LocalStandin } from '../../../src/billing/local/standin.ts'
import type { StripeAccess } from '../../../src/billing/stripe/connection.ts'
import { findProjectDir } from '../../../src/config.ts'
import { ApiError } from '../../../src/kernel/errors.ts'

const program = [
  '--import',
  import.meta.resolve('tsx'),
  join(findProjectDir(import.meta.dirname), 'stripe-standin/src/bin/standin.ts'),
]

/** A folder of the running test's own. */
function makeDataDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'storedex-standin-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 }))
  return dataDir
}

/** The keeper that one process of the data directory has. */
function keeper(
  dataDir: string,
  { args = program, webhookSecrets = [] }: { args?: readonly string[]; webhookSecrets?: readonly string[] } = {},
): LocalStandin & { told: string[] } {
  const told: string[] = []
  const standin = new LocalStandin({ dataDir, webhookSecrets, args, log: (line) => told.push(line) })
  onTestFinished(() => standin.close())
  return Object.assign(standin, { told })
}

/** Access once it has started, however long this machine takes. */
async function accessOf(standin: LocalStandin): Promise<StripeAccess> {
  await until(async () => (await standin.address()) !== null)
  return standin.access()
}

async function makeCustomer({ apiBase, secretKey }: StripeAccess): Promise<string> {
  const headers = { authorization: `Bearer ${secretKey}` }
  const reply = await fetch(`${apiBase}/v1/customers`, { method: 'POST', headers })
  return ((await reply.json()) as { id: string }).id
}

async function knows({ apiBase, secretKey }: StripeAccess, id: string) {
  const reply = await fetch(`${apiBase}/v1/customers/${id}`, { headers: { authorization: `Bearer ${secretKey}` } })
  return reply.status === 200
}

async function endpointsOf({ apiBase, secretKey }: StripeAccess): Promise<string[]> {
  const reply = await fetch(`${apiBase}/v1/webhook_endpoints`, { headers: { authorization: `Bearer ${secretKey}` } })
  return ((await reply.json()) as { data: { url: string }[] }).data.map(({ url }) => url)
}

function isListening(url: string | null): Promise<boolean> {
  return fetch(url!).then(
    () => true,
    () => false,
  )
}

function pidIn(dataDir: string): number {
  const { process } = JSON.parse(readFileSync(join(dataDir, 'stripe-standin/address.json'), 'utf8'))
  return Number.parseInt(process, 10)
}

test('it starts when it is first needed, once, and ends with whoever started it', async () => {
  const standin = keeper(makeDataDir())
  const [first, second] = await Promise.all([accessOf(standin), accessOf(standin)])
  expect(second).toBe(first)
  expect(await standin.access()).toBe(first)
  expect(await knows(first, await makeCustomer(first))).toBe(true)
  await standin.close()
  expect(await isListening(first.apiBase)).toBe(false)
  await expect(standin.access()).rejects.toThrow(ApiError)
})

test('processes of a data directory share one; when its owner leaves, another goes on with what it knew, where it was', async () => {
  const dataDir = makeDataDir()
  const [one, two] = [keeper(dataDir), keeper(dataDir)]
  const [access, same] = await Promise.all([accessOf(one), accessOf(two)])
  expect(same).toEqual(access)
  const customer = await makeCustomer(access)

  const pid = pidIn(dataDir)
  await one.close()
  await until(async () => (await two.address()) !== null && pidIn(dataDir) !== pid)
  const again = await accessOf(two)
  expect(again).toEqual(access)
  expect(await knows(again, customer)).toBe(true)
})

test('one that dies is started again, with its events still coming here, or to where the service has moved', async () => {
  const dataDir = makeDataDir()
  const standin = keeper(dataDir)
  standin.keepRunning('http://127.0.0.1:9/webhooks/stripe')
  const access = await accessOf(standin)
  const customer = await makeCustomer(access)
  const pid = pidIn(dataDir)
  process.kill(pid, 'SIGKILL')
  await until(async () => pidIn(dataDir) !== pid && (await isListening(access.apiBase)))
  expect(standin.told).toEqual(['The stand-in for Stripe has ended and is started again'])
  const again = await accessOf(standin)
  expect(again).toEqual(access)
  expect(await knows(again, customer)).toBe(true)
  expect(await endpointsOf(again)).toEqual(['http://127.0.0.1:9/webhooks/stripe'])

  await standin.changeWebhookUrl('http://127.0.0.1:10/webhooks/stripe')
  expect(await endpointsOf(await accessOf(standin))).toEqual(['http://127.0.0.1:10/webhooks/stripe'])
})

test('it does not outlive an owner that is killed, and the next one takes over', async () => {
  const dataDir = makeDataDir()
  const source = `
    import { LocalStandin } from ${JSON.stringify(import.meta.resolve('../../../src/billing/local/standin.ts'))}
    const standin = new LocalStandin({ dataDir: ${JSON.stringify(dataDir)}, webhookSecrets: [], args: ${JSON.stringify(program)}, log() {} })
    for (let address; !address; ) address = await standin.address()
    console.log(await standin.address())
    setInterval(() => {}, 1000)`
  const script = join(dataDir, 'owner.mts')
  writeFileSync(script, source)
  const owner = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(owner.stdout, 'data')) as [Buffer]
  const address = line.toString().trim()
  const ended = once(owner, 'exit')
  owner.kill('SIGKILL')
  await ended
  const next = keeper(dataDir)
  expect((await accessOf(next)).apiBase).toBe(address)
})

test('its secrets are made once for a data directory, and for its owner alone', async () => {
  const dataDir = makeDataDir()
  const first = keeper(dataDir)
  const { webhookSecrets, secretKey } = await accessOf(first)
  await first.close()
  const folder = join(dataDir, 'stripe-standin')
  const files = [join(folder, 'webhook-secret'), join(folder, 'secret-key')]
  expect(files.map((file) => readFileSync(file, 'utf8').trim())).toEqual([...webhookSecrets, secretKey])
  expect(files.map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600])
  // As a backup may bring them back.
  for (const [path, mode] of [[folder, 0o755], ...files.map((file) => [file, 0o644] as const)] as const)
    chmodSync(path, mode)
  expect(await accessOf(keeper(dataDir))).toMatchObject({ webhookSecrets, secretKey })
  expect([folder, ...files].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600, 0o600])

  const webhookSecretsGiven = ['whsec_of_the_operator', 'whsec_before_that']
  const given = await accessOf(keeper(makeDataDir(), { webhookSecrets: webhookSecretsGiven }))
  expect(given.webhookSecrets).toEqual(webhookSecretsGiven)
  expect(given.secretKey).not.toBe(secretKey)
})

test('an address that was left behind is not trusted, though a process and a port are there', async () => {
  const dataDir = makeDataDir()
  const first = keeper(dataDir)
  await accessOf(first)
  await first.close()
  const stranger = createServer()
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void stranger.close())
  const url = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`
  const file = join(dataDir, 'stripe-standin/address.json')
  writeFileSync(file, JSON.stringify({ url, process: `${process.pid} another start` }))
  expect((await accessOf(keeper(dataDir))).apiBase).not.toBe(url)
})

test('when it cannot be started, whoever needs it is told that the provider is away, and why in private', async () => {
  const standin = keeper(makeDataDir(), { args: ['-e', 'console.error("no such luck"); process.exit(1)'] })
  const refusal = await standin.access().catch((error) => error)
  expect(refusal).toMatchObject({ code: 'billing_provider_unavailable', cause: { message: 'no such luck' } })
  expect(refusal.message).not.toContain('luck')
  expect(await standin.address()).toBeNull()
  standin.keepRunning('http://127.0.0.1:9/webhooks/stripe')
  await until(() => standin.told.length > 0)
  expect(standin.told).toEqual(['The stand-in for Stripe cannot be started'])
})

test('an installation from before it had a key of its own goes on with the customers it has', async () => {
  const dataDir = makeDataDir()
  const before = keeper(dataDir)
  const customer = await makeCustomer(await accessOf(before))
  await before.close()
  rmSync(join(dataDir, 'stripe-standin/secret-key'))
  const access = await accessOf(keeper(dataDir))
  expect(await knows(access, customer)).toBe(true)
  expect(access.secretKey).toMatch(/^sk_test_[\da-f]{48}$/)
  const guesses = ['sk_test_standin', '', access.secretKey.slice(0, -1)]
  for (const secretKey of guesses) expect(await knows({ ...access, secretKey }, customer)).toBe(false)
})
