// The console's calls from the document of its API: for each operation its method and path, what it takes and what it answers.
// `npm run openapi` writes src/api/generated/console.ts; so does `node console/generate-types.mjs`, from the committed document.
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { forGenerator, generateTypes } from '../openapi/types.mjs'

/**
 * The module that the console's client is typed by. Requests and replies become schemas of their own, so that the generator
 * writes nothing for statuses, errors and options of a client that the console does not use.
 * @param {string} file of the document
 * @returns {Promise<string>} source of a module
 */
export async function generateOperations(file) {
  const { openapi, info, paths, components } = JSON.parse(readFileSync(file, 'utf8'))
  /** @type {Record<string, unknown>} */
  const schemas = {}
  /** @type {Record<string, unknown>} those of the document that are used */
  const shared = {}
  /** @type {Map<string, string>} names by their content: some operations answer alike */
  const known = new Map()
  /** @type {(name: string, schema: unknown) => string} */
  const add = (name, schema) => {
    const content = JSON.stringify(schema)
    collectSchemas(schema, components.schemas, shared)
    const existing = known.get(content) ?? /^\{"\$ref":"#\/components\/schemas\/(\w+)"\}$/.exec(content)?.[1]
    if (existing !== undefined) return existing
    known.set(content, name)
    schemas[name] = schema
    return name
  }
  const types = []
  const routes = []
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) {
      const { operationId: id } = operation
      const name = `${id[0].toUpperCase()}${id.slice(1)}`
      const request = requestSchema(operation)
      const reply = jsonOf(operation.responses[200] ?? operation.responses[201] ?? operation.responses[202])
      const input = request ? add(`Call${name}`, request) : 'NoRequest'
      types.push(`    ${id}: { request: ${input}; reply: ${reply ? add(`ReplyOf${name}`, reply) : 'never'} };`)
      routes.push(`    ${id}: '${method.toUpperCase()} ${path}',`)
    }
  const text = await generateTypes(
    forGenerator({ openapi, info, paths: {}, components: { schemas: { ...shared, ...schemas } } }),
  )
  const [head = '', ...declarations] = text.trimEnd().split('\n\n')
  return `${[
    head,
    ...declarations.filter((declaration) => !declaration.startsWith('export type ClientOptions')),
    'type NoRequest = Record<never, never>;',
    `/** What each operation takes and answers: \`never\` for a file or a page, to which only its address leads. */
export interface Operations {\n${types.join('\n')}\n}`,
    `/** Method and path of each operation. */\nexport const routes = {\n${routes.join('\n')}\n} as const satisfies Record<keyof Operations, string>;`,
  ]
    .join('\n\n')
    .replaceAll('export type ', 'type ')
    .replace(/\/\*\*\n +\* ([^\n]*)\n +\*\//g, '/** $1 */')}\n`
}

/**
 * One object of the parameters of path and query, with `body` and `headers`. Undefined if the operation takes nothing.
 * @param {any} operation
 */
function requestSchema({ parameters = [], requestBody }) {
  /** @type {(inside: (place: string) => boolean) => { properties: Record<string, object>, required: string[] }} */
  const within = (inside) => {
    const chosen = parameters.filter((/** @type {any} */ parameter) => inside(parameter.in))
    return {
      properties: Object.fromEntries(
        chosen.map((/** @type {any} */ { name, schema, description }) => [name, { description, ...schema }]),
      ),
      required: chosen.filter((/** @type {any} */ { required }) => required).map((/** @type {any} */ { name }) => name),
    }
  }
  const { properties, required } = within((place) => place !== 'header')
  const headers = within((place) => place === 'header')
  if (Object.keys(headers.properties).length > 0) {
    properties.headers = { type: 'object', ...headers }
    if (headers.required.length > 0) required.push('headers')
  }
  const body = jsonOf(requestBody)
  if (body) {
    properties.body = body
    required.push('body')
  }
  return Object.keys(properties).length > 0 ? { type: 'object', properties, required } : undefined
}

/** @param {any} message */
function jsonOf(message) {
  return message?.content?.['application/json']?.schema
}

/**
 * Adds the schemas that a node of the document refers to, also within others.
 * @param {unknown} node
 * @param {Record<string, unknown>} all
 * @param {Record<string, unknown>} found
 */
function collectSchemas(node, all, found) {
  if (typeof node !== 'object' || node === null) return
  for (const [key, value] of Object.entries(node)) {
    const name = key === '$ref' ? value.replace('#/components/schemas/', '') : undefined
    if (name === undefined) collectSchemas(value, all, found)
    else if (!(name in found)) {
      found[name] = all[name]
      collectSchemas(all[name], all, found)
    }
  }
}

if (process.argv[1] && resolve(process.argv[1]) === import.meta.filename) {
  const file = join(import.meta.dirname, 'src/api/generated/console.ts')
  const text = await generateOperations(join(import.meta.dirname, '../openapi/console.json'))
  writeFileSync(file, text)
  console.log(`${file}: ${text.split('\n').length} lines`)
}
