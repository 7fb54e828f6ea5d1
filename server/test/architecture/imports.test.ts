import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const project = resolve(import.meta.dirname, '../../..')
const source = join(project, 'server/src')

// A file imports from its own room and from rooms before it. Cycles inside a room are Biome's to find (noImportCycles).
const line = [
  ...['kernel', 'runtime', 'db', 'search', 'http', 'taxonomy', 'accounts', 'auth', 'usage'],
  ...['idempotency', 'encryption', 'delivery', 'exclusion', 'billing', 'stores', 'contacts'],
  ...['counts', 'lists', 'exports', 'quotes'],
  ...[
    'catalogue',
    'erasure',
    'imports',
    'backup',
    'people',
    'import-jobs',
    'mcp',
    'console',
    'config',
    'resources',
    'doctor',
    'deps',
    'app',
    'cli',
    'bin',
  ],
]

interface SourceFile {
  /** From server/src. */
  path: string
  text: string
}

const files = readFiles(source, /\.ts$/)

function pathsIn(folder: string, pattern: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => pattern.test(path))
}

function readFiles(folder: string, pattern: RegExp): SourceFile[] {
  return pathsIn(folder, pattern).map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }))
}

function roomOf(path: string): string {
  return path.split('/')[0]!.replace(/\.ts$/, '')
}

function relativeImports({ path, text }: SourceFile): string[] {
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => match[1]!)
  return specifiers.map((specifier) => relative(source, resolve(dirname(join(source, path)), specifier)))
}

function filesWith(pattern: RegExp, isAllowed: (path: string) => boolean): string[] {
  return files.filter((file) => pattern.test(file.text) && !isAllowed(file.path)).map((file) => file.path)
}

describe('rooms', () => {
  test('every room has its place on the line', () => {
    expect([...new Set(files.map((file) => roomOf(file.path)))].filter((room) => !line.includes(room))).toEqual([])
  })

  test('imports point left', () => {
    const wrong = files.flatMap((file) =>
      relativeImports(file)
        .filter((target) => line.indexOf(roomOf(target)) > line.indexOf(roomOf(file.path)))
        .map((target) => `${file.path} → ${target}`),
    )
    expect(wrong).toEqual([])
  })

  test('packages import nothing from the service', () => {
    const packages = readFiles(join(project, 'packages'), /^[^/]+\/src\/.*\.(ts|mjs)$/)
    expect(packages.length).toBeGreaterThan(10)
    const wrong = packages.filter(({ text }) => /'[^']*(\/server\/|@storedex\/server)/.test(text))
    expect(wrong.map(({ path }) => path)).toEqual([])
  })

  test('the client imports nothing at all: neither the service nor packages', () => {
    const client = readFiles(join(project, 'client/src'), /\.ts$/)
    expect(client.length).toBeGreaterThan(10)
    const imports = client.flatMap(({ path, text }) =>
      [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, target]) => ({ path, target: target! })),
    )
    const outside = imports.filter(({ path, target }) => {
      const file = resolve(dirname(join(project, 'client/src', path)), target)
      return !target.startsWith('.') || relative(join(project, 'client/src'), file).startsWith('..')
    })
    expect(outside).toEqual([])
    expect(JSON.parse(readFileSync(join(project, 'client/package.json'), 'utf8'))).not.toHaveProperty('dependencies')
  })

  test('a folder holds at most fifteen files', () => {
    const counts = new Map<string, number>()
    for (const folder of ['client/src', 'packages', 'server/src', 'stripe-standin/src', 'bench', 'drill'])
      for (const path of pathsIn(join(project, folder), /^(?!.*node_modules).*\.ts$/))
        counts.set(dirname(join(folder, path)), (counts.get(dirname(join(folder, path))) ?? 0) + 1)
    expect([...counts].filter(([, count]) => count > 15)).toEqual([])
  })
})

describe('names', () => {
  test('one name has one meaning: no two files export the same', () => {
    const exported = /^export (?:async )?(?:abstract )?(?:function\*?|class|const|interface|type|let) (\w+)/gm
    const filesOf = new Map<string, Set<string>>()
    for (const { path, text } of [...files, ...readFiles(join(project, 'packages'), /^[^/]+\/src\/.*\.ts$/)])
      for (const [, name] of text.matchAll(exported)) filesOf.set(name!, (filesOf.get(name!) ?? new Set()).add(path))
    const twice = [...filesOf].filter(([, paths]) => paths.size > 1).map(([name, paths]) => [name, ...paths])
    expect(twice).toEqual([])
  })
})

describe('one place each', () => {
  test('connections to the database are made where several hosts are understood', () => {
    const isAllowed = (path: string) => /^db\/(host-client|connection-pool|driver\/prepared-query)\.ts$/.test(path)
    expect(filesWith(/extends pg\.Client|new pg\.Pool\(/, isAllowed)).toEqual([])
    // The other two ask the driver how it reads a URL, and connect to nothing.
    const asks = ['db/migrate.ts', 'db/tls.ts']
    expect(filesWith(/new pg\.Client\(|new Client\(/, (path) => asks.includes(path))).toEqual([])
  })

  test('SQL stands in queries, the database layer and the search', () => {
    const sql =
      /\b(select\s[^'"]*\sfrom\s|insert into\s|update\s+[a-z_]+\s+(as\s+)?([a-z]+\s+)?set\s|delete from\s|\bcopy\s+[a-z_]+\s*\()/
    const isAllowed = (path: string) =>
      /^(db|search\/postgres|search\/replica)\//.test(path) || /(queries|bulk-insert)\.ts$/.test(path)
    expect(filesWith(sql, isAllowed)).toEqual([])
  })

  test('only the configuration reads the environment', () => {
    expect(filesWith(/process\.env/, (path) => path === 'config.ts' || path.startsWith('bin/'))).toEqual([])
  })

  test('only programs exit the process', () => {
    expect(filesWith(/process\.exit\(/, (path) => path.startsWith('bin/'))).toEqual([])
  })

  // A URL that a caller, an import or a stored contact names is text: nothing of it is ever fetched.
  test('only the payment provider is called over the network', () => {
    const calls = /\bfetch\(|\bhttps?\.(request|get)\(|from '(node:)?(https|http2|dgram|undici|axios)'|new WebSocket\(/
    // A command that is a client of the service calls the service, wherever that is.
    const isAllowed = (path: string) => path.startsWith('billing/stripe/') || path === 'cli/mcp/service-calls.ts'
    expect(filesWith(calls, isAllowed)).toEqual([])
  })

  test('only what people have set up is called besides: their mail server and their sign-in provider', () => {
    const calls = /(from|import\() ?'(nodemailer|openid-client)/
    expect(filesWith(calls, (path) => path === 'people/mail.ts' || path === 'people/openid/provider.ts')).toEqual([])
  })

  test('only the billing rooms know Stripe, and only one of them its library', () => {
    expect(filesWith(/from 'stripe'/, (path) => path.startsWith('billing/stripe/'))).toEqual([])
  })

  test('time comes from the clock that is passed in', () => {
    expect(filesWith(/new Date\(\)|\bDate\.now\(\)/, (path) => path === 'kernel/time.ts')).toEqual([])
  })

  // These compare the database's clock with this machine's, or record when a migration ran.
  test('SQL takes its time as a parameter', () => {
    const sqlClock =
      /(?<![.\w])(?<! {2})now\(\)|\b(clock_timestamp|statement_timestamp|transaction_timestamp)\(|\bcurrent_(timestamp|date|time)\b/
    const isAllowed = (path: string) => path.startsWith('db/') || path.startsWith('usage/closing/')
    expect(filesWith(sqlClock, isAllowed)).toEqual([])
  })
})
