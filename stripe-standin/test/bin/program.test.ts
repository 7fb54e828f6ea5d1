import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Program, startProgram } from '../support/program.ts'
import { openReceiver, type Receiver } from '../support/receiver.ts'
import { authHeader, createClient, customerWithCard, secretKey, webhookSecret } from '../support/world.ts'

let stateDir: string
let receiver: Receiver
const started: Program[] = []

beforeEach(async () => {
  stateDir = mkdtempSync(join(tmpdir(), 'standin-'))
  receiver = await openReceiver(webhookSecret, { now: () => new Date() })
})
afterEach(async () => {
  for (const program of started.splice(0)) if (program.process.exitCode === null) await program.end('SIGKILL')
  await receiver.close()
  rmSync(stateDir, { recursive: true })
})

async function start(more: Record<string, string> = {}): Promise<Program> {
  const program = await startProgram({
    STANDIN_STATE_DIR: stateDir,
    STANDIN_SECRET_KEY: secretKey,
    STANDIN_WEBHOOK_URL: receiver.url,
    STANDIN_WEBHOOK_SECRET: webhookSecret,
    ...more,
  })
  started.push(program)
  return program
}

const flush = (url: string) => fetch(`${url}/_standin/flush`, { method: 'POST', headers: authHeader })

test('confirmed changes survive a kill, and undelivered events are delivered afterwards', async () => {
  receiver.answer(500)
  const first = await start()
  const stripe = createClient(first.url)
  const customer = await customerWithCard(stripe)
  const request = { customer: customer.id, items: [{ price: 'price_standin_pro_monthly' }] }
  const subscription = await stripe.subscriptions.create(request, { idempotencyKey: 'before' })
  await fetch(`${first.url}/_standin/clock`, {
    method: 'POST',
    headers: { ...authHeader, 'content-type': 'application/json' },
    body: '{"advance_seconds":60}',
  })
  const killed = first.end('SIGKILL')
  await killed
  expect(receiver.events).toEqual([])

  receiver.answer(200)
  const second = await start()
  const again = createClient(second.url)
  expect((await again.subscriptions.retrieve(subscription.id)).status).toBe('active')
  const replayed = await again.subscriptions.create(request, { idempotencyKey: 'before' })
  expect(replayed.id).toBe(subscription.id)
  await flush(second.url)
  expect(new Set(receiver.types())).toEqual(
    new Set([
      'customer.created',
      'payment_method.attached',
      'customer.subscription.created',
      'invoice.created',
      'invoice.finalized',
      'invoice.paid',
      'invoice.payment_succeeded',
    ]),
  )
  const state = (await (await fetch(`${second.url}/_standin/state`, { headers: authHeader })).json()) as {
    clock_offset_seconds: number
  }
  expect(state.clock_offset_seconds).toBe(60)
})

test('a kill during many requests loses no confirmed change', async () => {
  const first = await start()
  const stripe = createClient(first.url)
  const answered: string[] = []
  let killed: Promise<unknown> | undefined
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (;;) {
        const customer = await stripe.customers.create().catch(() => null)
        if (!customer) return
        answered.push(customer.id)
        if (answered.length >= 40) killed ??= first.end('SIGKILL')
      }
    }),
  )
  await killed
  const again = createClient((await start()).url)
  const kept = new Set<string>()
  for await (const { id } of again.customers.list({ limit: 100 })) kept.add(id)
  expect(answered.filter((id) => !kept.has(id))).toEqual([])
})

test('two processes never share a state directory', async () => {
  const first = await start()
  await expect(start()).rejects.toThrow(`Process ${first.process.pid} is using the stand-in's state`)
  expect(await first.end('SIGTERM')).toBe(0)
  await start()
})

test('a damaged state file and invalid prices are reported in a clear message', async () => {
  writeFileSync(join(stateDir, 'state.json'), '{"format":1,')
  await expect(start()).rejects.toThrow('state.json is damaged')
  await expect(start({ STANDIN_PRICES: '[{"slug":"x"}]' })).rejects.toThrow('STANDIN_PRICES must be a JSON list')
})

test('it prints its URL, API key and webhook secret', async () => {
  const { output } = await start({ STANDIN_SECRET_KEY: 'sk_test_chosen' })
  expect(output).toEqual({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    secret_key: 'sk_test_chosen',
    webhook_secret: webhookSecret,
  })
  expect((await createClient(output.url, 'sk_test_chosen').products.list()).data).toHaveLength(3)
})

test('with STANDIN_TIED it ends when standard input closes', async () => {
  const program = await start({ STANDIN_TIED: '1' })
  expect(await program.end('close stdin')).toBe(0)
})
