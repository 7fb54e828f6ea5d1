import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type InputRequiredResult,
  isInputRequiredResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { Refusal } from '../../foundation/kernel/errors.ts'
import { type ApiCall, ToolError } from './api-call.ts'
import { readArguments } from './arguments.ts'
import type { ToolOutcome } from './call-counter.ts'
import { cleanText, dataNotice, describeRows } from './text.ts'
import { contactTools } from './tools/contacts.ts'
import { revealTools } from './tools/reveal.ts'
import { storeTools } from './tools/stores.ts'
import { taxonomyTools } from './tools/taxonomy.ts'
import type { Tool, ToolContext, ToolReply } from './tools/tool.ts'
import { usageTools } from './tools/usage.ts'

export interface ToolServerOptions {
  /** Calls the public API with the caller's key. */
  api: ApiCall
  /** Signs what a client carries between a question and its answer; at least 32 bytes, equal wherever the answer may arrive. */
  stateKey: Uint8Array | string
  /** Whether a client of 2025 can be asked over this transport: it can where the session lasts, as over stdio. */
  asksLegacyClients: boolean
  /** Called once for each call of a tool. */
  onToolCall?: (tool: string, outcome: ToolOutcome) => void
  /** Admits a call that made no request of the API; throws the refusal. */
  admitCall?: () => Promise<void>
  /** Called with an error that is a defect here. */
  onFailure?: (error: unknown) => void
}

// biome-ignore lint/suspicious/noExplicitAny: each tool has its own input, which its schema checks.
const tools: readonly Tool<any>[] = [...taxonomyTools, ...storeTools, ...contactTools, ...revealTools, ...usageTools]

const instructions = `Storedex: e-commerce stores and the people at them. Look filter values up with taxonomy_lookup, count before you search, quote before you reveal. ${dataNotice} Revealing people costs credits: say what it costs and let the person decide.`

/** What `tools/list` answers: the same for everybody, so it is made once. */
const toolList: ListToolsResult = {
  tools: tools.map(({ name, title, description, input, output, annotations }) => ({
    name,
    title,
    description,
    inputSchema: input.published as Listed['inputSchema'],
    annotations,
    outputSchema: output as NonNullable<Listed['outputSchema']>,
  })),
}
type Listed = ListToolsResult['tools'][number]

const toolsByName = new Map(tools.map((tool) => [tool.name, tool]))

/** Whether a message calls a tool that there is. */
export function callsTool(message: unknown): boolean {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } | null }
  return method === 'tools/call' && typeof params?.name === 'string' && toolsByName.has(params.name)
}

// Clients may keep these for an hour; they change with the version of the service only.
const fixed = { ttlMs: 3_600_000, cacheScope: 'public' } as const

/** Creates a server with all tools. It serves one request, or one session; it keeps nothing. */
export function createToolServer(options: ToolServerOptions): Server {
  const codec = createRequestStateCodec<object>({ key: options.stateKey })
  const server = new Server(
    { name: 'storedex', title: 'Storedex', version: '1.0.0' },
    {
      instructions,
      capabilities: { tools: { listChanged: false } },
      requestState: { verify: codec.verify },
      cacheHints: { 'tools/list': fixed, 'server/discover': fixed },
    },
  )
  server.setRequestHandler('tools/list', () => toolList)
  server.setRequestHandler('tools/call', ({ params }, mcp) => {
    const tool = toolsByName.get(params.name)
    if (!tool)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `Tool not found. There are ${[...toolsByName.keys()].join(', ')}.`,
      )
    return runTool(tool, params.arguments, options, {
      mcp,
      canAsk: canAsk(server, mcp, options.asksLegacyClients),
      sealState: (payload) => codec.mint(payload, mcp),
    })
  })
  return server
}

/** Whether the client of this call can show a form to a person. */
function canAsk(server: Server, { mcpReq }: ServerContext, asksLegacyClients: boolean): boolean {
  const { envelope } = mcpReq
  if (!envelope && !asksLegacyClients) return false
  // A request of 2026 brings the capabilities, over every transport; a session of 2025 began with them.
  const brought: Record<string, unknown> = { ...envelope }
  const capabilities = brought[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities()
  const elicitation = (capabilities as ClientCapabilities | undefined)?.elicitation
  if (!elicitation) return false
  // A client that names no mode has forms.
  return elicitation.form !== undefined || elicitation.url === undefined
}

async function runTool<Input>(
  tool: Tool<Input>,
  sent: unknown,
  { api, onToolCall, onFailure, admitCall }: ToolServerOptions,
  ctx: Omit<ToolContext, 'api'>,
): Promise<CallToolResult | InputRequiredResult> {
  let calls = 0
  const counted: ApiCall = (call) => {
    calls++
    return api(call)
  }
  try {
    const reply = await answer(tool, sent, { ...ctx, api: counted }).finally(async () => {
      // The API counts its own requests; what is answered without one is counted here.
      if (calls === 0) await admitCall?.()
    })
    if (isInputRequiredResult(reply)) {
      onToolCall?.(tool.name, 'asked')
      return reply
    }
    onToolCall?.(tool.name, reply.failure ? 'refused' : (reply.outcome ?? 'done'))
    return describeReply(reply)
  } catch (error) {
    const refusal = toToolError(error)
    if (refusal) {
      onToolCall?.(tool.name, 'refused')
      return describeError(refusal)
    }
    onToolCall?.(tool.name, 'failed')
    onFailure?.(error)
    return describeError(new ToolError('internal_error', 'Something went wrong on our side; it has been recorded.'))
  }
}

async function answer<Input>(tool: Tool<Input>, sent: unknown, ctx: ToolContext) {
  const args = readArguments(tool.input.full, sent ?? {})
  tool.input.check(args)
  return tool.run(ctx, args as Input)
}

function toToolError(error: unknown): ToolError | null {
  if (error instanceof ToolError) return error
  if (!(error instanceof Refusal)) return null
  const { code, message, param, retryAfterSeconds, billing } = error
  return new ToolError(code, message, { param, retryAfterSeconds, url: (billing as { url?: string } | undefined)?.url })
}

function describeReply({ says, rows, structured, failure }: ToolReply): CallToolResult {
  const lines = failure ? [...says, ...errorLines(failure)] : says
  return {
    content: [{ type: 'text', text: describeRows(lines, rows) }],
    structuredContent: structured,
    ...(failure && { isError: true }),
  }
}

function describeError(error: ToolError): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: errorLines(error).join('\n') }] }
}

/** The API's sentence and code, and what helps to act on it. */
function errorLines({ message, code, param, requestId, retryAfterSeconds, url }: ToolError): string[] {
  const facts = [
    `code: ${code}`,
    ...(param === undefined ? [] : [`param: ${param}`]),
    ...(url === undefined ? [] : [`to restore it: ${url}`]),
    ...(retryAfterSeconds === undefined ? [] : [`retry after: ${retryAfterSeconds} s`]),
    ...(requestId === undefined ? [] : [`request id: ${requestId}`]),
  ]
  return [message, ...facts].map(cleanText)
}
