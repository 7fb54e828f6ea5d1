import { execFile, execFileSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { asCurl, asToolCall, asTypeScript } from '../../src/lib/copy-as.ts'

const origin = 'https://storedex.example'
const path = '/api/v1/stores/search' as const
const body = fc.record({ filters: fc.dictionary(fc.string(), fc.string()), limit: fc.constant(25) })

/** The arguments that a shell hands to curl. */
function argumentsOf(command: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`
  const env = { STOREDEX_API_KEY: 'sdx_live_secret' }
  return execFileSync('/bin/sh', ['-c', script], { env, encoding: 'utf8' }).split('\0').slice(0, -1)
}

it('a copied curl sends the body unchanged, whatever a shell makes of its characters', () => {
  fc.assert(
    fc.property(body, (sent) => {
      fc.pre(!JSON.stringify(sent).includes('\0'))
      const [url, , authorization, , contentType, , data] = argumentsOf(asCurl({ origin, path, body: sent }))
      expect(url).toBe(`${origin}${path}`)
      expect(authorization).toBe('Authorization: Bearer sdx_live_secret')
      expect(contentType).toBe('Content-Type: application/json')
      expect(JSON.parse(data!)).toEqual(sent)
    }),
    { numRuns: 50 },
  )
})

it('a copied curl is not run apart by quotes, substitutions and new lines', () => {
  const hostile = { filters: { apps: ["it's", '$(touch /tmp/x)', '`id`', '"; rm -rf /', 'a\nb', '\\'] } }
  const parts = argumentsOf(asCurl({ origin, path, body: hostile }))
  expect(JSON.parse(parts.at(-1)!)).toEqual(hostile)
})

it('the key is read from the environment in both', () => {
  const call = { origin, path, body: {} }
  expect(asCurl(call)).toContain('"Authorization: Bearer $STOREDEX_API_KEY"')
  expect(asTypeScript(call)).toContain('process.env.STOREDEX_API_KEY')
})

it('a copied tool call names the tool of the search, with its body as the arguments', () => {
  const sent = { filters: { countries: ['DE'] }, limit: 25 }
  expect(JSON.parse(asToolCall({ path, body: sent }))).toEqual({ name: 'search_stores', arguments: sent })
  expect(JSON.parse(asToolCall({ path: '/api/v1/contacts/search', body: {} })).name).toBe('search_contacts')
})

/** Bundles a program with the client of this repository. */
async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, loader: 'ts', resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    conditions: ['storedex-source'],
  })
  return outputFiles[0]!.text
}

it.each([
  [path, { filters: { apps: { any: ["it's", '$(1)', '`', '</script>', '\u2028'] } }, limit: 25 }],
  ['/api/v1/contacts/search', { store: { countries: ['DE'] }, max_contacts_per_store: 3, limit: 10 }],
] as const)('a copied TypeScript runs and sends the body of %s unchanged', async (searched, sent) => {
  let received: unknown
  const server = createServer(async (request, response) => {
    const { url, headers } = request
    received = { url, body: await json(request), authorization: headers.authorization }
    const data = Array.from({ length: sent.limit }, (_, index) => index)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ data, has_more: true, next_cursor: 'cur_1' }))
  }).listen(0)
  try {
    const { port } = server.address() as AddressInfo
    const script = await bundle(asTypeScript({ origin: `http://127.0.0.1:${port}`, path: searched, body: sent }))
    const run = promisify(execFile)
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
      env: { STOREDEX_API_KEY: 'sdx_live_secret' },
    })
    expect(received).toEqual({ url: searched, body: sent, authorization: 'Bearer sdx_live_secret' })
    // One page, although there are more.
    expect(stdout.trim().split('\n')).toHaveLength(sent.limit)
  } finally {
    server.close()
  }
})
