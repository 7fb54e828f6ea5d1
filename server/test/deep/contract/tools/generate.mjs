// Generates a client with each of these generators: node generate.mjs DOCUMENT FOLDER ADDRESS
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@hey-api/openapi-ts'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { generate } from 'orval'
import { generateApi } from 'swagger-typescript-api'

const [document, folder, address] = process.argv.slice(2)

const types = await openapiTypescript(JSON.parse(readFileSync(document, 'utf8')))
writeFileSync(join(folder, 'openapi-typescript.ts'), astToString(types))
await generateApi({ input: document, output: folder, fileName: 'swagger-typescript-api.ts', silent: true })
await createClient({ input: document, output: join(folder, 'hey-api'), logs: { level: 'silent' } })
const output = { target: join(folder, 'orval.ts'), client: 'fetch', mode: 'single', baseUrl: address }
await generate({ input: { target: document }, output }, folder)
