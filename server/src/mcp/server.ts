import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type InputRequiredResult,
  isInputRequiredResult,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { type ApiCall, ToolError } from './api-call.ts'
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
  /** Called with an error that is a defect here. */
  onFailure?: (error: unknown) => void
}

// biome-ignore lint/suspicious/noExplicitAny: each tool has its own input, which its schema checks.
const tools: readonly Tool<any>[] = [...taxonomyTools, ...storeTools, ...contactTools, ...revealTools, ...usageTools]

const instructions = `Storedex: e-commerce stores and the people at them. Look filter values up with taxonomy_lookup, count before you search, quote before you reveal. ${dataNotice} Revealing people costs credits: say what it costs and let the person decide.`

/** Creates a server with all tools. It serves one request, or one session; it keeps nothing. */
export function createToolServer(options: ToolServerOptions): McpServer {
  const codec = createRequestStateCodec<object>({ key: options.stateKey })
  const server = new McpServer(
    { name: 'storedex', title: 'Storedex', version: '1.0.0' },
    { instructions, capabilities: { tools: { listChanged: false } }, requestState: { verify: codec.verify } },
  )
  for (const tool of tools) {
    const { title, description, input, output, annotations } = tool
    server.registerTool(
      tool.name,
      { title, description, inputSchema: input, outputSchema: output, annotations },
      (args: unknown, mcp: ServerContext) =>
        runTool(tool, args, options, {
          api: options.api,
          mcp,
          canAsk: canAsk(server, mcp, options.asksLegacyClients),
          sealState: (payload) => codec.mint(payload, mcp),
        }),
    )
  }
  return server
}

/** Whether the client of this call can show a form to a person. */
function canAsk(server: McpServer, { mcpReq }: ServerContext, asksLegacyClients: boolean): boolean {
  const { envelope } = mcpReq
  if (!envelope && !asksLegacyClients) return false
  // A request of 2026 brings the capabilities, over every transport; a session of 2025 began with them.
  const brought: Record<string, unknown> = { ...envelope }
  const capabilities = brought[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities()
  const elicitation = (capabilities as ClientCapabilities | undefined)?.elicitation
  if (!elicitation) return false
  // A client that names no mode has forms.
  return elicitation.form !== undefined || elicitation.url === undefined
}

async function runTool<Input>(
  tool: Tool<Input>,
  input: Input,
  { onToolCall, onFailure }: ToolServerOptions,
  ctx: ToolContext,
): Promise<CallToolResult | InputRequiredResult> {
  try {
    const reply = await tool.run(ctx, input)
    if (isInputRequiredResult(reply)) {
      onToolCall?.(tool.name, 'asked')
      return reply
    }
    onToolCall?.(tool.name, reply.failure ? 'refused' : (reply.outcome ?? 'done'))
    return describeReply(reply)
  } catch (error) {
    if (error instanceof ToolError) {
      onToolCall?.(tool.name, 'refused')
      return describeError(error)
    }
    onToolCall?.(tool.name, 'failed')
    onFailure?.(error)
    return describeError(new ToolError('internal_error', 'Something went wrong on our side; it has been recorded.'))
  }
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
function errorLines({ message, code, param, requestId, retryAfterSeconds }: ToolError): string[] {
  const facts = [
    `code: ${code}`,
    ...(param === undefined ? [] : [`param: ${param}`]),
    ...(retryAfterSeconds === undefined ? [] : [`retry after: ${retryAfterSeconds} s`]),
    ...(requestId === undefined ? [] : [`request id: ${requestId}`]),
  ]
  return [message, ...facts].map(cleanText)
}
