import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { runCommandLine } from '../../../src/doors/cli/program.ts'
import { factsOf, project, resolveImport } from './support/tree.ts'

/** The file of an import from a workspace package: `@storedex/work`, or `@storedex/work/timeout` with an export of its own. */
function packageFile(from: string): string {
  const [, name, subpath] = /^@storedex\/([\w-]+)(.*)$/.exec(from)!
  const { exports } = JSON.parse(readFileSync(join(project, `packages/${name}/package.json`), 'utf8'))
  return posix.join(`packages/${name}`, typeof exports === 'string' ? exports : exports[`.${subpath}`])
}

/**
 * The installed packages that a file loads at once, through all its imports except types and `import()`. Packages of
 * this repository are followed like its other files.
 */
function packagesLoadedBy(path: string, seen = new Set<string>(), packages = new Set<string>()): string[] {
  if (!seen.has(path)) {
    seen.add(path)
    for (const { kind, from, isTypeOnly } of factsOf(path).imports) {
      if (isTypeOnly || kind === 'dynamic' || from.startsWith('node:') || from.endsWith('.json')) continue
      if (from.startsWith('.')) packagesLoadedBy(resolveImport(path, from), seen, packages)
      else if (from.startsWith('@storedex/')) packagesLoadedBy(packageFile(from), seen, packages)
      else packages.add(from)
    }
  }
  return [...packages].sort()
}

// Each of these takes longer to load than most commands take to run.
const heavy = /^(typebox|stripe|fastify|@fastify|ajv|fast-json-stringify|libphonenumber|validator|nodemailer)/

test('the command line loads no package but the one that reads its arguments', () => {
  expect(packagesLoadedBy('server/src/program/bin/cli.ts')).toEqual(['commander'])
})

test('the database is opened without the packages of the service', () => {
  const loaded = packagesLoadedBy('server/src/operations/resources/database.ts')
  expect(loaded).toContain('pg')
  expect(loaded.filter((name) => heavy.test(name))).toEqual([])
})

test.each(['accounts', 'keys', 'users', 'ledger/ledger', 'catalogue/stores', 'catalogue/exports'])(
  '%s loads none of them either',
  (group) => {
    expect(packagesLoadedBy(`server/src/doors/cli/${group}.ts`).filter((name) => heavy.test(name))).toEqual([])
  },
)

test('the catalogue is opened without the payment provider and the web server', () => {
  const loaded = packagesLoadedBy('server/src/operations/resources/catalogue.ts')
  expect(loaded.filter((name) => /^(stripe|fastify|@fastify)/.test(name))).toEqual([])
})

test.each([
  [['--help']],
  [['--version']],
  [['accounts', '--help']],
  [['stores', 'rename', '--help']],
  [['doctor', '--help']],
  [['mcp', '--help']],
])('%j opens nothing and reads no settings', async (args) => {
  const open = (): never => {
    throw new Error('this opens something')
  }
  const output = new PassThrough()
  const code = await runCommandLine(args, {
    version: '1.2.3',
    ...{
      readConfig: open,
      readServiceAccess: open,
      openDatabase: open,
      openDatabaseDeps: open,
      openCatalogueDeps: open,
      openDeps: open,
      serve: open,
    },
    ...{ stdin: new PassThrough(), stdout: output, stderr: output },
  })
  expect(code).toBe(0)
  expect(String(output.read())).toMatch(/^(Usage: storedex|1\.2\.3)/)
})
