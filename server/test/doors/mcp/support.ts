import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { atEnd } from '../../support/cleanup.ts'

type ClientOptions = ConstructorParameters<typeof Client>[1]

/** Connects the official client, by default in the revision of 2026. */
export async function connectClient(
  app: { url: string },
  key: { secret: string },
  options: ClientOptions & { mode?: 'legacy' } = {},
): Promise<Client> {
  const { mode, ...more } = options
  const client = new Client(
    { name: 'storedex test', version: '1.0.0' },
    { versionNegotiation: { mode: mode ?? { pin: '2026-07-28' } }, ...more },
  )
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', app.url), {
    requestInit: { headers: { authorization: `Bearer ${key.secret}` } },
  })
  await client.connect(transport)
  atEnd(() => client.close())
  return client
}

/** The text of a tool's answer. */
export function textOf(result: { content?: unknown }): string {
  const [first] = (result.content ?? []) as { type: string; text: string }[]
  return first?.text ?? ''
}
