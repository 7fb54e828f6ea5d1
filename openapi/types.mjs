// Types of an API document, as the generators of the console's and the client's types need them.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@hey-api/openapi-ts'

/**
 * The types of a document, as the generator writes them.
 * @param {string | Record<string, unknown>} document file, or the document itself
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
