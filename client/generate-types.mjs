// The client's types from the API document, by the generator that the console's types come from too. `npm run openapi` writes
// src/generated/types.ts; so does `node client/generate-types.mjs`, from the committed document.
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { forGenerator, generateTypes } from '../openapi/types.mjs'

/** Stands for the values that an enum does not have yet: `(string & {})` accepts every text and still proposes the known ones. */
const other = 'any other'

/**
 * Types of the schemas alone: the methods are written by hand. Enums that may grow are open, others are closed, so that a typing
 * mistake is found. Requests take lists that must not be changed, too.
 * @param {string} file of the document
 * @returns {Promise<string>} source of a module
 */
export async function generateClientTypes(file) {
  const document = JSON.parse(readFileSync(file, 'utf8'))
  const requests = schemasOfRequests(document)
  const [head = '', ...types] = (await generateTypes(forGenerator(document, other))).trimEnd().split('\n\n')
  const schemas = types.flatMap((type) => {
    const name = /^export type (\w+)/m.exec(type)?.[1] ?? ''
    if (!(name in document.components.schemas)) return []
    const open = type.replaceAll(`'${other}'`, '(string & {})')
    return [requests.has(name) ? open.replaceAll(' Array<', ' ReadonlyArray<') : open]
  })
  return `${[head, ...schemas].join('\n\n')}\n`
}

/**
 * The names of the schemas that requests use, also within others.
 * @param {any} document
 * @returns {Set<string>}
 */
function schemasOfRequests({ paths, components }) {
  /** @type {Set<string>} */
  const names = new Set()
  /** @param {unknown} node */
  const visit = (node) => {
    if (typeof node !== 'object' || node === null) return
    for (const [key, value] of Object.entries(node)) {
      const name = key === '$ref' ? value.replace('#/components/schemas/', '') : undefined
      if (name === undefined) visit(value)
      else if (!names.has(name)) {
        names.add(name)
        visit(components.schemas[name])
      }
    }
  }
  for (const methods of Object.values(paths)) for (const { requestBody } of Object.values(methods)) visit(requestBody)
  return names
}

if (process.argv[1] && resolve(process.argv[1]) === import.meta.filename) {
  const target = join(import.meta.dirname, 'src/generated/types.ts')
  writeFileSync(target, await generateClientTypes(join(import.meta.dirname, '../openapi/v1.json')))
  console.log(target)
}
