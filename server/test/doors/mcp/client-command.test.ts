import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { newApiKey } from '../../../src/foundation/kernel/api-key.ts'
import { addCrowd, generous, storedUsage } from '../../product/contacts/support/reveals.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import type { Json } from '../../support/client.ts'
import { serveOnLoopback } from '../../support/listen.ts'
import { commandFor, connectAssistant } from './support/assistant.ts'
import { legacyCall } from './support/messages.ts'

let app: TestApp
let key: TestKey
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  key = await app.key({ limits: generous })
})

const initialize = {
  ...{ jsonrpc: '2.0', id: 0, method: 'initialize' },
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}

/** Starts the command with other settings, and speaks to it line by line. */
function startCommand(settings: Record<string, string>) {
  const { command, args, env, cwd } = commandFor('', '')
  const { STOREDEX_URL: _, STOREDEX_API_KEY: __, ...rest } = env
  const child = spawn(command, args, { cwd, env: { ...rest, ...settings }, stdio: 'pipe' })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  // It may have ended already.
  child.stdin.on('error', () => {})
  const closed = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await closed
  })
  return {
    output,
    send: (...messages: (object | string)[]) =>
      messages.forEach((each) => void child.stdin.write(`${typeof each === 'string' ? each : JSON.stringify(each)}\n`)),
    messages: (): Json[] =>
      output.stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    end: () => child.stdin.end(),
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    ended: async () => ((await closed) as [number | null, NodeJS.Signals | null])[0],
  }
}

// A process starts when a busy machine lets it.
const patience = { timeout: 120_000 }

const access = (url: string, secret: string) => ({ STOREDEX_URL: url, STOREDEX_API_KEY: secret })

describe('storedex mcp', () => {
  test('without its settings says in one line what is missing', async () => {
    const command = startCommand({ STOREDEX_URL: app.url })
    expect(await command.ended()).toBe(1)
    expect(command.output).toEqual({
      stdout: '',
      stderr: 'STOREDEX_API_KEY is missing: set it to an API key like sdx_live_….\n',
    })
  })

  test('writes messages to standard output and nothing else, whatever it reads', async () => {
    const command = startCommand(access(app.url, key.secret))
    command.send('not json', '{"jsonrpc":"2.0"}', '[]', '', initialize, '\u0000', '{', legacyCall('usage', {}, 1))
    command.send(legacyCall('nothing', {}, 2), { jsonrpc: '2.0', id: 3, method: 'no/such' }, legacyCall('usage', {}, 4))
    await expect
      .poll(
        () =>
          command
            .messages()
            .map(({ id }) => id)
            .sort(),
        patience,
      )
      .toEqual([0, 1, 2, 3, 4])
    for (const { jsonrpc } of command.messages()) expect(jsonrpc).toBe('2.0')
    const [usage, unknown] = [1, 2].map((id) => command.messages().find((message) => message.id === id))
    expect(usage.result.structuredContent.plan.slug).toBe('pro')
    expect(JSON.stringify(unknown)).toMatch(/not found/)
    expect(command.output.stderr).not.toContain(key.secret)
    command.end()
    expect(await command.ended()).toBe(0)
  })

  test('ends when standard input closes, and at SIGTERM and SIGINT', async () => {
    const waiting = [() => {}, 'SIGTERM' as const, 'SIGINT' as const].map(async (how) => {
      const command = startCommand(access(app.url, key.secret))
      command.send(initialize)
      await expect.poll(() => command.messages(), patience).toHaveLength(1)
      if (typeof how === 'string') command.kill(how)
      else command.end()
      return command.ended()
    })
    const codes = await Promise.all(waiting)
    expect(codes[0]).toBe(0)
    for (const code of codes.slice(1)) expect(code).toBe(130)
  })

  test('ends at once when standard input closes during a call', async () => {
    let calls = 0
    const url = await serveOnLoopback(() => {
      calls++
      return new Promise(() => {})
    })
    const command = startCommand(access(url, key.secret))
    command.send(initialize, legacyCall('usage', {}, 1))
    await expect.poll(() => calls, patience).toBe(1)
    command.end()
    expect(await command.ended()).toBe(0)
  })

  test('of a revision that it does not know says which it knows', async () => {
    const command = startCommand(access(app.url, key.secret))
    const prefix = 'io.modelcontextprotocol'
    const _meta = { [`${prefix}/protocolVersion`]: '2099-01-01', [`${prefix}/clientCapabilities`]: {} }
    command.send({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta } })
    await expect.poll(() => command.output.stdout, patience).toContain('2026-07-28')
    expect(command.messages()[0]!.error.data.requested).toBe('2099-01-01')
  })
})

describe('a session', () => {
  test('outlives the service: calls fail with a sentence while it is away, and work when it is back', async () => {
    let isAway = false
    const relay = await serveOnLoopback(async (request, response) => {
      if (isAway) return request.socket.destroy()
      const reply = await fetch(app.url + request.url, { headers: { authorization: request.headers.authorization! } })
      response.writeHead(reply.status, { 'content-type': 'application/json' }).end(await reply.text())
    })
    const assistant = await connectAssistant({ era: '2026', road: 'stdio', url: relay, secret: key.secret })
    expect((await assistant.call('usage')).isError).toBe(false)
    isAway = true
    const { isError, text } = await assistant.call('usage')
    expect(isError).toBe(true)
    expect(text).toContain(`The service at ${relay} cannot be reached`)
    isAway = false
    expect((await assistant.call('usage')).isError).toBe(false)
    expect(assistant.log()).not.toContain(key.secret)
    await assistant.close()
  })

  test('reveals once when the reply is lost and the call is repeated', async () => {
    const [id] = await addCrowd(app, 1)
    const payer = await app.key({ limits: generous })
    let lost = 0
    const seen = new Set<unknown>()
    const relay = await serveOnLoopback(async (request, response) => {
      const body = await new Response(request as unknown as ReadableStream).text()
      const headers = { 'content-type': 'application/json', authorization: request.headers.authorization! }
      const idempotencyKey = request.headers['idempotency-key']
      const { method = '' } = request
      const reply = await fetch(app.url + request.url, {
        method,
        headers: { ...headers, ...(idempotencyKey && { 'idempotency-key': String(idempotencyKey) }) },
        ...(method === 'POST' && { body }),
      })
      const text = await reply.text()
      if (request.url === '/api/v1/contacts/reveal') {
        seen.add(idempotencyKey)
        if (lost++ === 0) return request.socket.destroy()
      }
      response.writeHead(reply.status, { 'content-type': 'application/json' }).end(text)
    })
    const assistant = await connectAssistant({ era: '2025', road: 'stdio', url: relay, secret: payer.secret })
    const { isError, text } = await assistant.call('reveal_contacts', { contact_ids: [id] })
    expect(isError, text).toBe(false)
    expect(lost).toBe(2)
    expect([...seen]).toEqual([expect.any(String)])
    expect(await storedUsage(app, payer)).toMatchObject({ reveals: 1 })
    await assistant.close()
  })

  test('with a key that does not exist, or with another server at the address, gets errors of tools', async () => {
    const page = await serveOnLoopback((_, response) => response.writeHead(200).end('<h1>Welcome</h1>'))
    const moved = await serveOnLoopback((_, response) => response.writeHead(301, { location: `${app.url}/` }).end())
    const said = async (url: string, secret: string) => {
      const assistant = await connectAssistant({ era: '2025', road: 'stdio', url, secret })
      const { isError, text } = await assistant.call('usage')
      expect(isError).toBe(true)
      await assistant.close()
      return text
    }
    const [unknown, welcome, redirected] = await Promise.all([
      said(app.url, newApiKey('live')),
      said(page, key.secret),
      said(moved, key.secret),
    ])
    expect(unknown).toContain('invalid_api_key')
    expect(welcome).toContain('not as Storedex does')
    expect(redirected).toContain('It redirects')
  })
})
