/** A search as a program would run it with the API. The key is never part of it: it is read from the environment. */

export interface ApiCall {
  /** Such as `https://storedex.example`. */
  origin: string
  path: '/api/v1/stores/search' | '/api/v1/contacts/search'
  body: object
}

export function asCurl({ origin, path, body }: ApiCall): string {
  return [
    `curl ${quoteForShell(origin + path)}`,
    `-H "Authorization: Bearer $STOREDEX_API_KEY"`,
    `-H 'Content-Type: application/json'`,
    `-d ${quoteForShell(JSON.stringify(body))}`,
  ].join(' \\\n  ')
}

/** A program with `@storedex/client`. It reads one page, as the console shows it: more rows would be charged. */
export function asTypeScript({ origin, path, body }: ApiCall): string {
  const { method, row } = methodOf[path]
  return `import { Storedex } from '@storedex/client'

const storedex = new Storedex({ apiKey: process.env.STOREDEX_API_KEY!, baseUrl: ${quoteForScript(origin)} })
const search = storedex.${method}(${JSON.stringify(body, null, 2)}, { maxRows: ${limitOf(body)} })
for await (const ${row} of search) console.log(${row})
`
}

/** The same search as an assistant's program calls it; the tools take the bodies of the API. */
export function asToolCall({ path, body }: Pick<ApiCall, 'path' | 'body'>): string {
  return JSON.stringify({ name: methodOf[path].tool, arguments: body }, null, 2)
}

/** The methods of the client and the tools that search, and what they find. */
const methodOf: Record<ApiCall['path'], { method: string; tool: string; row: string }> = {
  '/api/v1/stores/search': { method: 'stores.search', tool: 'search_stores', row: 'store' },
  '/api/v1/contacts/search': { method: 'contacts.search', tool: 'search_contacts', row: 'contact' },
}

/** As many rows as a page of the request has. */
function limitOf(body: object): number {
  return 'limit' in body && typeof body.limit === 'number' ? body.limit : 25
}

/** Nothing is special between single quotes except a single quote. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function quoteForScript(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
