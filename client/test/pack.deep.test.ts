import { execFile } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import { beforeAll, expect, test } from 'vitest'
import { addCrowd } from '../../server/test/product/contacts/support/reveals.ts'
import { startFaultProxy } from '../../server/test/promises/clients/support/disturbed.ts'
import { startTestApp } from '../../server/test/support/app.ts'
import { atEnd } from '../../server/test/support/cleanup.ts'
import { readingSample, sample } from './support/packed-samples.ts'

const run = promisify(execFile)
const project = resolve(import.meta.dirname, '../..')
const packages = join(project, 'node_modules')
const longestPackageBytes = 35_000
// Longer than any of the programs takes on a busy machine, and shorter than the wait that the sample leaves.
const timeout = 100_000

interface Packed {
  filename: string
  size: number
  files: { path: string }[]
}

let folder: string
/** What is packed: a copy, because other tests may be using what is built in the original. */
let source: string
let packed: Packed
/** A project with nothing but the package. */
let user: string
beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'storedex-test-')))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  source = join(folder, 'client')
  const isPart = (path: string) => !/\/(dist|test|node_modules)$/.test(path)
  cpSync(join(project, 'client'), source, { recursive: true, filter: isPart })
  for (const name of ['package.json', '.npmrc']) cpSync(join(project, name), join(folder, name))
  symlinkSync(packages, join(folder, 'node_modules'))
  await run(process.execPath, ['client/build.mjs'], { cwd: folder, timeout })
  const args = ['pack', './client/dist', '--json', '--offline', '--silent', '--pack-destination', folder]
  const { stdout } = await run('npm', args, { cwd: folder, timeout })
  packed = JSON.parse(stdout)[0]
  user = join(folder, 'user')
  mkdirSync(user)
  writeFileSync(join(user, 'package.json'), JSON.stringify({ name: 'user', type: 'module' }))
  const install = ['install', '--offline', '--no-audit', '--no-fund', join(folder, packed.filename)]
  await run('npm', install, { cwd: user, timeout })
  mkdirSync(join(user, 'node_modules/@types'))
  for (const name of ['@types/node', 'undici-types'])
    symlinkSync(join(packages, name), join(user, 'node_modules', name))
  const bare = {
    target: 'es2022',
    lib: ['es2022'],
    module: 'esnext',
    moduleResolution: 'bundler',
    types: [],
    noEmit: true,
  }
  writeFileSync(join(user, 'tsconfig.bare.json'), JSON.stringify({ compilerOptions: bare, files: ['reading.ts'] }))
  writeFileSync(join(user, 'sample.ts'), sample)
  writeFileSync(join(user, 'reading.ts'), readingSample)
}, 240_000)

test('the package has the code, the declarations and its README, and nothing else', () => {
  const paths = packed.files.map(({ path }) => path)
  const meant = /^(package\.json|README\.md|index\.js|([a-z-]+\/)?[a-z-]+\.d\.ts)$/
  expect(paths.filter((path) => !meant.test(path))).toEqual([])
  expect(paths).toEqual(expect.arrayContaining(['index.js', 'index.d.ts', 'README.md', 'package.json']))
  expect(packed.size).toBeLessThanOrEqual(longestPackageBytes)
})

// Scripts of packages are off here, so npm would build nothing, and pack what there is: a package without code.
test.for([['pack'], ['publish', '--dry-run']])(
  'the folder of the sources makes no package: npm %s',
  async (command) => {
    const packing = run('npm', [...command, '--offline', '--loglevel=error'], { cwd: source, timeout })
    await expect(packing).rejects.toMatchObject({ code: 1, stdout: '' })
    expect(readdirSync(source).filter((name) => name.endsWith('.tgz'))).toEqual([])
  },
)

test('the package depends on nothing and runs nothing when it is installed', () => {
  const text = readFileSync(join(user, 'node_modules/@storedex/client/package.json'), 'utf8')
  const { engines, ...manifest } = JSON.parse(text)
  expect(Object.keys(manifest).filter((name) => /dependencies|scripts|private/i.test(name))).toEqual([])
  expect(engines).toEqual({ node: '>=20' })
  const code = readFileSync(join(user, 'node_modules/@storedex/client/index.js'), 'utf8')
  expect(code.match(/^import .*$|\brequire\(/gm)).toBe(null)
})

const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck', 'false']
const nodeProject = ['--target', 'es2022', '--module', 'nodenext', '--types', 'node']
const compilers = { '5.9': 'typescript-5.9', '6.0': 'typescript' }

/** What the compiler prints; nothing when it finds no error. */
async function compile(version: keyof typeof compilers, args: string[]): Promise<string> {
  const tsc = join(packages, compilers[version], 'lib/tsc.js')
  const failed = (error: { stdout: string; message: string }) => ({ stdout: error.stdout || error.message })
  const { stdout } = await run(process.execPath, [tsc, ...strict, ...args], { cwd: user, timeout }).catch(failed)
  return stdout
}

test.for(['5.9', '6.0'] as const)('a strict project on Node compiles with TypeScript %s', async (version) => {
  const { version: used } = JSON.parse(readFileSync(join(packages, compilers[version], 'package.json'), 'utf8'))
  expect(used.startsWith(`${version}.`)).toBe(true)
  expect(await compile(version, [...nodeProject, '--noEmit', 'sample.ts', 'reading.ts'])).toBe('')
})

test.for(['5.9', '6.0'] as const)(
  'the declarations need neither Node nor the DOM: TypeScript %s with a bundler',
  async (version) => {
    expect(await compile(version, ['-p', 'tsconfig.bare.json'])).toBe('')
  },
)

test('the sample runs against the service, and ends by itself', async () => {
  const app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  await addCrowd(app, 30)
  const key = await app.key({
    scopes: ['usage:read', 'stores:read', 'contacts:search', 'contacts:reveal', 'exports:manage'],
  })
  // A call that is aborted while it waits for a retry must not keep the process.
  const proxy = await startFaultProxy(app, { weights: { unavailable: 1 }, retryAfter: ['59'] })
  writeFileSync(join(user, 'sample.js'), (await transform(sample, { loader: 'ts', format: 'esm' })).code)
  const env = { ...process.env, STOREDEX_URL: app.url, STOREDEX_API_KEY: key.secret, UNAVAILABLE_URL: proxy.origin }
  // Shorter than the wait that it aborts.
  const { stdout } = await run(process.execPath, ['sample.js'], { cwd: user, env, timeout: 50_000 })
  expect(JSON.parse(stdout)).toEqual({
    people: 12,
    spent: 12,
    remaining: expect.any(Number),
    stores: 3,
    refused: 'CostLimitError',
    unknown: ['NotFoundError', 'store_not_found', 404],
    aborted: 'AbortError',
    bytes: expect.any(Number),
    isWhole: true,
  })
})
