import { expect, test } from 'vitest'
import { ToolCallCounter } from '../../../src/doors/mcp/call-counter.ts'
import { createMetrics, registerCounters } from '../../../src/foundation/http/metrics.ts'
import { createLogger } from '../../../src/foundation/runtime/logger.ts'
import { connectClient, textOf } from '../../doors/mcp/support.ts'
import { addPeople, firstShop, generous, idsByFirstName, people } from '../../product/contacts/support/reveals.ts'
import { startTestApp } from '../../support/app.ts'

test('no log line of a tool holds a key, a quote, a cursor, an id, a name or a channel', async () => {
  const lines: string[] = []
  const app = await startTestApp({
    now: '2026-11-10T12:00:00.000Z',
    log: createLogger({ level: 'trace', destination: { write: (line: string) => void lines.push(line) } }),
  })
  await addPeople(app)
  const key = await app.key({ limits: generous, budget: { contact_credits: 5 } })
  const ids = await idsByFirstName(key)
  const client = await connectClient(app, key)
  const call = async (name: string, args: Record<string, unknown>) =>
    client.callTool({ name, arguments: args }) as Promise<{ content?: unknown; structuredContent: object }>
  const quoted = await call('quote_reveal', { contact_ids: [ids.Mara] })
  expect(quoted.structuredContent, textOf(quoted)).toBeDefined()
  const { quote } = quoted.structuredContent as { quote: string }
  const revealed = await call('reveal_contacts', { quote })
  expect(textOf(revealed)).toContain('mara@first-shop.example')
  await call('get_store', { domain: firstShop })
  await call('search_contacts', { store: { domains: [firstShop] }, limit: 1 })
  await call('reveal_contacts', { quote: 'quo_forged' })
  await app.db.query("update contacts set sealed = 'broken'")
  await call('quote_reveal', { contact_ids: [ids.Ines] }).then(({ structuredContent }) =>
    call('reveal_contacts', { quote: (structuredContent as { quote: string }).quote }),
  )

  const logged = lines.join('')
  expect(logged).toContain('"route":"/mcp"')
  const words = JSON.stringify(people).match(/[^"]*@[^"]*|https:[^"]*|\+1[^"]*|"(?:first|last|full)_name":"[^"]*/g)!
  const secrets = words.map((word) => word.replace(/^.*":"/, ''))
  for (const secret of [...secrets, ...Object.values(ids), key.secret, quote, 'quo_', 'cur_', firstShop])
    expect(logged.includes(secret), `${secret} in the log`).toBe(false)
})

test('calls are counted by tool and outcome', async () => {
  const calls = new ToolCallCounter()
  const metrics = createMetrics()
  registerCounters(metrics, calls.counters())
  calls.record('usage', 'done')
  calls.record('usage', 'done')
  calls.record('reveal_contacts', 'asked')
  for (let scrape = 0; scrape < 2; scrape++) {
    const text = await metrics.registry.metrics()
    expect(text).toContain('storedex_tool_calls_total{tool="usage",outcome="done"} 2')
    expect(text).toContain('storedex_tool_calls_total{tool="reveal_contacts",outcome="asked"} 1')
  }
})
