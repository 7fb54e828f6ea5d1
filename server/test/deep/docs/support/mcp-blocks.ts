import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

/** A server of tools in the settings of an assistant's program. */
interface ToolServer {
  command?: string
  args?: string[]
  env?: Record<string, string>
  url?: string
  headers?: Record<string, string>
}

/** The servers in such settings; null for another document. Programs name the property in one of two ways. */
export function toolServersOf(settings: unknown): ToolServer[] | null {
  const { mcpServers, servers } = settings as Partial<Record<string, Record<string, ToolServer>>>
  const found = mcpServers ?? servers
  return found ? Object.values(found) : null
}

/** Connects to each server as its settings say, and looks up a store with its tools. */
export async function problemsOfToolServers(servers: readonly ToolServer[]): Promise<string[]> {
  const problems: string[] = []
  for (const server of servers) {
    const client = new Client({ name: 'storedex-test', version: '1' })
    try {
      await client.connect(transportFor(server))
      const { isError, content } = await client.callTool({
        name: 'get_store',
        arguments: { domain: 'aurora-candles.example' },
      })
      if (isError) problems.push(JSON.stringify(content))
    } catch (error) {
      problems.push(String(error))
    } finally {
      await client.close()
    }
  }
  return problems
}

function transportFor({ command, args = [], env = {}, url, headers = {} }: ToolServer) {
  if (url) return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
  const { PATH = '', HOME = '' } = process.env
  return new StdioClientTransport({ command: command ?? '', args, env: { PATH, HOME, ...env }, cwd: '/' })
}
