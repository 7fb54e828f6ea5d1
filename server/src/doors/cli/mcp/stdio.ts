import { randomBytes } from 'node:crypto'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { ServiceAccess } from '../../../operations/config.ts'
import { tidyMessage } from '../../mcp/arguments.ts'
import { createToolServer } from '../../mcp/server.ts'
import { type Cli, printNote } from '../context.ts'
import { createServiceCalls } from './service-calls.ts'

/** Serves the tools to the process that started this one, until it closes standard input. */
export function serveTools(cli: Cli, access: ServiceAccess): Promise<void> {
  const { version, stdin, stdout } = cli
  const api = createServiceCalls(access, `storedex-mcp/${version}`)
  // A question is answered to the process that asked it.
  const stateKey = randomBytes(32)
  const transport = new StdioServerTransport(stdin, stdout)
  // Standard output belongs to the protocol.
  const report = (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error)
    printNote(cli, `storedex mcp: ${message.slice(0, 300)}\n`)
  }
  return new Promise((resolve) => {
    const createServer = () => createToolServer({ api, stateKey, asksLegacyClients: true, onFailure: report })
    serveStdio(createServer, { transport, onerror: report })
    const { onclose, onmessage } = transport
    transport.onmessage = (message) => onmessage?.(tidyMessage(message))
    transport.onclose = () => {
      onclose?.()
      resolve()
    }
  })
}
