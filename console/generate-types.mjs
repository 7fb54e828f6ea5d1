// The browser's types from the document of the console's own API. `npm run openapi` writes src/api/generated/console.ts; so does
// `node console/generate-types.mjs`, from the committed document. Types only, no code.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createClient } from '@hey-api/openapi-ts'

/**
 * @param {string} document file
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

if (process.argv[1] && resolve(process.argv[1]) === import.meta.filename) {
  const file = join(import.meta.dirname, 'src/api/generated/console.ts')
  const types = await generateTypes(join(import.meta.dirname, '../openapi/console.json'))
  writeFileSync(file, types)
  console.log(`${file}: ${types.split('\n').length} lines`)
}
