import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { build } from 'esbuild'
import { beforeAll, expect, test } from 'vitest'
import { domain, email, startShop } from './support/shop.ts'
import { generatedFolder, installTools, runProgram, runTool, saveDocument } from './support/tools.ts'
import { callsOf } from './support/typescript-calls.ts'

const generators = Object.keys(callsOf)
const folder = generatedFolder()
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc')

beforeAll(async () => {
  await installTools()
  const { address, secret } = await startShop()
  await runTool('generate.mjs', [await saveDocument(address, folder), folder, address])
  for (const name of generators) writeFileSync(join(folder, `${name}-calls.ts`), callsOf[name]!)
  const settings = { address, secret }
  const lines = Object.entries(settings).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)}`)
  writeFileSync(join(folder, 'settings.ts'), lines.join('\n'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
}, 900_000)

test('what four generators make compiles under strict, with what its user writes', async () => {
  const compilerOptions = {
    ...{ noEmit: true, strict: true, allowImportingTsExtensions: true, types: [] },
    ...{ target: 'es2022', lib: ['es2023', 'dom', 'dom.iterable'], module: 'esnext', moduleResolution: 'bundler' },
  }
  const files = generators.map((name) => `${name}-calls.ts`)
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  await runProgram(process.execPath, [compiler], folder)
})

test.each(generators)('a client by %s finds a store and reveals a person', async (name) => {
  const outfile = join(folder, `${name}.mjs`)
  await build({
    entryPoints: [join(folder, `${name}-calls.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
  })
  expect((await runProgram(process.execPath, [outfile], folder)).trim()).toBe(`pro ${domain} ${email}`)
})
