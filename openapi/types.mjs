// Types of an API document, as the generators of the console's and the client's types need them.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@hey-api/openapi-ts'

/**
 * A document as the generator needs it. It knows no enum that may grow, so such a one becomes an enum, with a value for all others
 * if `other` is given. It would join the constant of a discriminator to each type, which has it already.
 * @param {any} node
 * @param {string} [other]
 * @returns {any}
 */
export function forGenerator(node, other) {
  if (Array.isArray(node)) return node.map((each) => forGenerator(each, other))
  if (typeof node !== 'object' || node === null) return node
  const { 'x-extensible-enum': known, discriminator: _, ...rest } = node
  const copy = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, forGenerator(value, other)]))
  return known === undefined ? copy : { ...copy, enum: other === undefined ? known : [...known, other] }
}

/**
 * The types of a document, as the generator writes them.
 * @param {Record<string, unknown>} document
 * @returns {Promise<string>} source of a module
 */
export async function generateTypes(document) {
  const output = mkdtempSync(join(tmpdir(), 'storedex-types-'))
  try {
    await createClient({ input: document, output, plugins: ['@hey-api/typescript'], logs: { level: 'silent' } })
    return readFileSync(join(output, 'types.gen.ts'), 'utf8')
  } finally {
    rmSync(output, { recursive: true, force: true })
  }
}
