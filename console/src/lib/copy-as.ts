/** A search as a program would run it with the API. The key is never part of it: it is read from the environment. */

export interface ApiCall {
  /** Such as `https://storedex.example`. */
  origin: string
  /** Such as `/api/v1/stores/search`. */
  path: string
  body: object
}

export function asCurl({ origin, path, body }: ApiCall): string {
  return [
    `curl ${quoteForShell(origin + path)}`,
    `-H "Authorization: Bearer $STOREDEX_KEY"`,
    `-H 'Content-Type: application/json'`,
    `-d ${quoteForShell(JSON.stringify(body))}`,
  ].join(' \\\n  ')
}

export function asTypeScript({ origin, path, body }: ApiCall): string {
  return `const response = await fetch(${quoteForScript(origin + path)}, {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.STOREDEX_KEY}\`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${indent(JSON.stringify(body, null, 2))}),
})
if (!response.ok) throw new Error(\`\${response.status} \${await response.text()}\`)
const page = await response.json()
console.log(page.data, page.next_cursor)
`
}

/** Nothing is special between single quotes except a single quote. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function quoteForScript(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

function indent(text: string): string {
  return text.replaceAll('\n', '\n  ')
}
