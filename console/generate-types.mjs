// The browser's types from the API documents. `npm run openapi` writes src/api/generated/; so does
// `node console/generate-types.mjs`, from the committed documents. Types only, no code.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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

if (process.argv[1] && resolve(process.argv[1]) === import.meta.filename)
  for (const name of ['v1', 'console']) {
    const document = join(import.meta.dirname, `../openapi/${name}.json`)
    if (!existsSync(document)) continue
    const file = join(import.meta.dirname, `src/api/generated/${name}.ts`)
    const types = await generateTypes(document)
    writeFileSync(file, types)
    console.log(`${file}: ${types.split('\n').length} lines`)
  }
