/** Official clients of both revisions, over both transports, behind one small interface. */
import { join } from 'node:path'
import { Client as Client2026, StreamableHTTPClientTransport as Http2026 } from '@modelcontextprotocol/client'
import { StdioClientTransport as Stdio2026 } from '@modelcontextprotocol/client/stdio'
import { Client as Client2025 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as Stdio2025 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as Http2025 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { findProjectDir } from '../../../../src/operations/config.ts'
import { atEnd } from '../../../support/cleanup.ts'
import type { Json } from '../../../support/client.ts'

export interface Combination {
  era: '2026' | '2025'
  road: 'http' | 'stdio'
}

export const combinations: readonly Combination[] = [
  { era: '2026', road: 'http' },
  { era: '2025', road: 'http' },
  { era: '2026', road: 'stdio' },
  { era: '2025', road: 'stdio' },
]

export interface AssistantOptions extends Combination {
  /** The service's address. */
  url: string
  secret: string
  /** Whether the client can ask its person; by default it can. */
  canAsk?: boolean
}

interface ToolResult {
  isError: boolean
  /** The text blocks, one below the other. */
  text: string
  /** `structuredContent`. */
  data: Json
}

export interface Assistant {
  instructions: string | undefined
  tools(): Promise<Json[]>
  call(name: string, args?: object): Promise<ToolResult>
  /** What the person was asked, and what it answers from now on. */
  person: { asked: string[]; answers: Json }
  /** What the command wrote to standard error. */
  log(): string
  close(): Promise<void>
}

const launcher = join(findProjectDir(import.meta.dirname), 'bin/storedex.mjs')

/** How a client starts the command. */
export function commandFor(url: string, secret: string) {
  const { PATH = '', HOME = '' } = process.env
  return {
    ...{ command: process.execPath, args: [launcher, 'mcp'], cwd: '/', stderr: 'pipe' as const },
    env: { PATH, HOME, STOREDEX_URL: url, STOREDEX_API_KEY: secret },
  }
}

const clientInfo = { name: 'storedex-test', version: '1' }

/** Connects an official client; closed after the file's tests. */
export async function connectAssistant(options: AssistantOptions): Promise<Assistant> {
  const { era, road, url, secret, canAsk = true } = options
  const person: Assistant['person'] = { asked: [], answers: { action: 'accept', content: {} } }
  const answer = async ({ params }: { params: { message: string } }) => {
    person.asked.push(params.message)
    return person.answers
  }
  const capabilities = canAsk ? { elicitation: {} } : {}
  const http = [new URL(`${url}/mcp`), { requestInit: { headers: { authorization: `Bearer ${secret}` } } }] as const
  const command = commandFor(url, secret)

  let client: Client2026 | Client2025
  let transport: Http2026 | Http2025 | Stdio2026 | Stdio2025
  if (era === '2026') {
    client = new Client2026(clientInfo, { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } })
    if (canAsk) client.setRequestHandler('elicitation/create', answer)
    transport = road === 'http' ? new Http2026(...http) : new Stdio2026(command)
  } else {
    client = new Client2025(clientInfo, { capabilities })
    if (canAsk) client.setRequestHandler(ElicitRequestSchema, answer)
    transport = road === 'http' ? new Http2025(...http) : new Stdio2025(command)
  }
  let log = ''
  if ('stderr' in transport)
    transport.stderr?.on('data', (chunk: Buffer) => {
      log += chunk
    })
  atEnd(() => client.close())
  // Both packages have the same methods; their types differ in what is optional.
  const either: Json = client
  await either.connect(transport)
  return {
    instructions: either.getInstructions(),
    tools: async () => (await either.listTools()).tools,
    call: async (name, args = {}) => readResult(await either.callTool({ name, arguments: args })),
    person,
    log: () => log,
    close: () => client.close(),
  }
}

function readResult({ isError = false, content, structuredContent }: Json): ToolResult {
  const texts = content.filter((block: Json) => block.type === 'text').map((block: Json) => block.text)
  return { isError, text: texts.join('\n'), data: structuredContent }
}
