import type { Command } from 'commander'
import type { Cli } from '../context.ts'

const help = `
It calls a running service, and needs no database. Set in its environment:
  STOREDEX_URL       the service's address, such as https://storedex.example
  STOREDEX_API_KEY   an API key; its scopes, limits and budgets apply

An assistant's program starts it. Such a program's configuration:
  {"mcpServers": {"storedex": {
    "command": "node", "args": ["/path/to/storedex/bin/storedex.mjs", "mcp"],
    "env": {"STOREDEX_URL": "https://storedex.example", "STOREDEX_API_KEY": "sdx_live_…"}}}}

Examples:
  STOREDEX_URL=http://127.0.0.1:8080 STOREDEX_API_KEY=sdx_test_… storedex mcp`

export function addMcpAction(mcp: Command, cli: Cli): void {
  mcp.addHelpText('after', help)
  mcp.action(async () => {
    const access = await cli.readServiceAccess()
    const { serveTools } = await import('./stdio.ts')
    await serveTools(cli, access)
  })
}
