import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../../../../packages/embedded-postgres/test/support.ts'
import { LocalStandin } from '../../../../src/customers/billing/local/standin.ts'
import type { StripeAccess } from '../../../../src/customers/billing/stripe/connection.ts'
import { Refusal } from '../../../../src/foundation/kernel/errors.ts'
import { findProjectDir } from '../../../../src/operations/config.ts'
import { removeFolder } from '../../../support/cleanup.ts'

const program = [
  '--import',
  import.meta.resolve('tsx'),
  join(findProjectDir(import.meta.dirname), 'stripe-standin/src/bin/standin.ts'),
]

/** Creates a data directory that is removed after the test. */
function makeDataDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'storedex-standin-'))
  onTestFinished(() => removeFolder(dataDir))
  return dataDir
}

/** The stand-in as one process of the data directory uses it, with its log lines. */
function openStandin(
  dataDir: string,
  { args = program, webhookSecrets = [] }: { args?: readonly string[]; webhookSecrets?: readonly string[] } = {},
): LocalStandin & { logged: string[] } {
  const logged: string[] = []
  const standin = new LocalStandin({ dataDir, webhookSecrets, args, log: (line) => logged.push(line) })
  onTestFinished(() => standin.close())
  return Object.assign(standin, { logged })
}

/** Waits until the stand-in has started, without a time limit: one that was joined may end meanwhile. */
async function accessOf(standin: LocalStandin): Promise<StripeAccess> {
  for (;;) {
    const access = await standin.access().catch(() => undefined)
    if (access) return access
    await delay(20)
  }
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

test('the stand-in starts once, when first needed, and stops with the process that started it', async () => {
  const standin = openStandin(makeDataDir())
  const [first, second] = await Promise.all([accessOf(standin), accessOf(standin)])
  expect(second).toBe(first)
  expect(await standin.access()).toBe(first)
  expect(await knows(first, await makeCustomer(first))).toBe(true)
  await standin.close()
  expect(await isListening(first.apiBase)).toBe(false)
  await expect(standin.access()).rejects.toThrow(Refusal)
})

test('processes share one stand-in; after its owner has closed, another one starts with the same state and address', async () => {
  const dataDir = makeDataDir()
  const [one, two] = [openStandin(dataDir), openStandin(dataDir)]
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

test('a stand-in that dies is restarted with the same webhook URL, which can be changed', async () => {
  const dataDir = makeDataDir()
  const standin = openStandin(dataDir)
  standin.keepRunning('http://127.0.0.1:9/webhooks/stripe')
  const access = await accessOf(standin)
  const customer = await makeCustomer(access)
  const pid = pidIn(dataDir)
  process.kill(pid, 'SIGKILL')
  await until(async () => pidIn(dataDir) !== pid && (await isListening(access.apiBase)))
  expect(standin.logged).toEqual(['The stand-in for Stripe ended; restarting it'])
  const again = await accessOf(standin)
  expect(again).toEqual(access)
  expect(await knows(again, customer)).toBe(true)
  expect(await endpointsOf(again)).toEqual(['http://127.0.0.1:9/webhooks/stripe'])

  await standin.changeWebhookUrl('http://127.0.0.1:10/webhooks/stripe')
  expect(await endpointsOf(await accessOf(standin))).toEqual(['http://127.0.0.1:10/webhooks/stripe'])
})

test('the stand-in ends when its owner is killed, and the next process starts it at the same address', async () => {
  const dataDir = makeDataDir()
  const source = `
    import { LocalStandin } from ${JSON.stringify(import.meta.resolve('../../../../src/customers/billing/local/standin.ts'))}
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
  const pid = pidIn(dataDir)
  const ended = once(owner, 'exit')
  owner.kill('SIGKILL')
  await ended
  const next = openStandin(dataDir)
  // Until the first one has ended, it is shared with the next process and still writes its state.
  await until(async () => (await next.address()) !== null && pidIn(dataDir) !== pid)
  expect((await accessOf(next)).apiBase).toBe(address)
})

test('the secrets of the stand-in are created once for a data directory, readable by its owner only', async () => {
  const dataDir = makeDataDir()
  const first = openStandin(dataDir)
  const { webhookSecrets, secretKey } = await accessOf(first)
  await first.close()
  const folder = join(dataDir, 'stripe-standin')
  const files = [join(folder, 'webhook-secret'), join(folder, 'secret-key')]
  expect(files.map((file) => readFileSync(file, 'utf8').trim())).toEqual([...webhookSecrets, secretKey])
  expect(files.map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600])
  // A restored backup may have other permissions.
  for (const [path, mode] of [[folder, 0o755], ...files.map((file) => [file, 0o644] as const)] as const)
    chmodSync(path, mode)
  expect(await accessOf(openStandin(dataDir))).toMatchObject({ webhookSecrets, secretKey })
  expect([folder, ...files].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600, 0o600])

  const webhookSecretsGiven = ['whsec_of_the_operator', 'whsec_before_that']
  const given = await accessOf(openStandin(makeDataDir(), { webhookSecrets: webhookSecretsGiven }))
  expect(given.webhookSecrets).toEqual(webhookSecretsGiven)
  expect(given.secretKey).not.toBe(secretKey)
})

test('a stored address is not used if its process identity differs, though the pid and port exist', async () => {
  const dataDir = makeDataDir()
  const first = openStandin(dataDir)
  await accessOf(first)
  await first.close()
  const stranger = createServer()
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void stranger.close())
  const url = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`
  const file = join(dataDir, 'stripe-standin/address.json')
  writeFileSync(file, JSON.stringify({ url, process: `${process.pid} another start` }))
  expect((await accessOf(openStandin(dataDir))).apiBase).not.toBe(url)
})

test('a stand-in that cannot be started is billing_provider_unavailable, with the reason as private cause', async () => {
  const standin = openStandin(makeDataDir(), { args: ['-e', 'console.error("no such luck"); process.exit(1)'] })
  const refusal = await standin.access().catch((error) => error)
  expect(refusal).toMatchObject({ code: 'billing_provider_unavailable', cause: { message: 'no such luck' } })
  expect(refusal.message).not.toContain('luck')
  expect(await standin.address()).toBeNull()
  standin.keepRunning('http://127.0.0.1:9/webhooks/stripe')
  await until(() => standin.logged.length > 0)
  expect(standin.logged).toEqual(['The stand-in for Stripe cannot be started'])
})

test('an installation without a stored secret key gets one and keeps its customers', async () => {
  const dataDir = makeDataDir()
  const before = openStandin(dataDir)
  const customer = await makeCustomer(await accessOf(before))
  await before.close()
  rmSync(join(dataDir, 'stripe-standin/secret-key'))
  const access = await accessOf(openStandin(dataDir))
  expect(await knows(access, customer)).toBe(true)
  expect(access.secretKey).toMatch(/^sk_test_[\da-f]{48}$/)
  const guesses = ['sk_test_standin', '', access.secretKey.slice(0, -1)]
  for (const secretKey of guesses) expect(await knows({ ...access, secretKey }, customer)).toBe(false)
})
