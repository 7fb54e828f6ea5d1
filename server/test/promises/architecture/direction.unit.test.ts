import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { draw } from './support/draw.ts'
import type { SourceFacts } from './support/facts.ts'
import { parse } from './support/parse.ts'
import { filesIn, isTestPath, project, resolveImport, workspaceOf } from './support/tree.ts'

// A file imports from its own wing and from wings before it; within a wing, from its own room and from rooms before it.
// Cycles inside a room are Biome's to find (noImportCycles).
const wings: Record<string, readonly string[]> = {
  foundation: ['kernel', 'runtime', 'db', 'http', 'encryption'],
  search: ['query', 'engines', 'replica', 'taxonomy', 'counting', 'service'],
  customers: [
    ...['accounts', 'auth', 'ledger', 'admission', 'idempotency', 'users', 'usage', 'billing', 'keys'],
    'administration',
  ],
  product: ['delivery', 'exclusion', 'stores', 'contacts', 'counts', 'lists', 'exports', 'quotes'],
  catalogue: ['writing', 'history', 'renaming', 'erasure', 'imports', 'import-jobs', 'privacy'],
  operations: ['config', 'resources', 'backup', 'resealing', 'doctor', 'deps'],
  doors: ['api', 'mcp', 'docs', 'console', 'cli'],
  program: ['app', 'serving', 'workers', 'bin'],
}
// The rooms of the import, from the bytes of a file to its merged records.
const importsLine = [
  ...['fields', 'source', 'cells', 'table', 'csv', 'workbook', 'records'],
  ...['stores', 'suppressions', 'contacts', 'threads', 'demo'],
]
const serverLine = Object.entries(wings).flatMap(([wing, rooms]) => rooms.map((room) => `${wing}/${room}`))
const consoleLine = [
  ...['lib', 'ui', 'api'],
  ...['search', 'usage', 'sign-in', 'exports', 'lists', 'export-dialog', 'reveal', 'stores', 'store', 'list'],
  ...[
    'contacts',
    'revealed',
    'account',
    'billing',
    'export',
    'keys',
    'link',
    'operator',
    'privacy',
    'pages',
    'shell',
    'main',
  ],
]

// What Stripe's objects are and how they change, then who calls: endpoints, pages, control.
const standinLine = [
  ...['state', 'presenters', 'billing', 'events', 'standin', 'api', 'endpoints', 'http', 'pages', 'control'],
  ...['app', 'bin'],
]

/** The wing of the server and its room; elsewhere the first folder below the source; of the console's pages, the page. */
function roomOf(path: string): string {
  return /^server\/src\/([\w-]+\/[\w-]+)/.exec(path)?.[1] ?? /\/src\/(?:pages\/)?([\w-]+)/.exec(path)![1]!
}

/** The first folder or file below `source`. */
const firstBelow = (source: string) => (path: string) => path.slice(source.length).split(/[/.]/)[0]!

function wrongTurns(facts: SourceFacts, line: readonly string[], source: string, room = roomOf): string[] {
  return facts.imports
    .map(({ from }) => resolveImport(facts.path, from))
    .filter((target) => target.startsWith(source) && line.indexOf(room(target)) > line.indexOf(room(facts.path)))
    .map((target) => `${facts.path} → ${target}`)
}

const imports = 'server/src/catalogue/imports/'
const standin = 'stripe-standin/src/'

describe.each([
  ['server/src/', serverLine, roomOf],
  [imports, importsLine, firstBelow(imports)],
  ['console/src/', consoleLine, roomOf],
  [standin, standinLine, firstBelow(standin)],
])('%s', (source, line, room) => {
  const files = filesIn(source)

  test('every room has its place on the line, and every place its room', () => {
    expect([...new Set(files.map(({ path }) => room(path)))].sort()).toEqual([...line].sort())
  })

  test('imports point left', () => {
    expect(files.flatMap((facts) => wrongTurns(facts, line, source, room))).toEqual([])
  })
})

test('the drawing of the house is the committed one: rooms, floors, arrows, none up', async () => {
  const server = filesIn('server/src/')
  const drawings = [
    draw('server/src', server, (path) => roomOf(path).split('/')[0]!, Object.keys(wings)),
    ...Object.entries(wings).map(([wing, rooms]) => {
      const files = server.filter(({ path }) => path.startsWith(`server/src/${wing}/`))
      return draw(`server/src/${wing}`, files, (path) => roomOf(path).split('/')[1]!, rooms)
    }),
    draw('server/src/catalogue/imports', filesIn(imports), firstBelow(imports), importsLine),
    draw('console/src', filesIn('console/src/'), roomOf, consoleLine),
    draw('stripe-standin/src', filesIn(standin), firstBelow(standin), standinLine),
  ]
  await expect(drawings.join('\n')).toMatchFileSnapshot(join(project, 'docs/house.txt'))
})

test.each([
  [
    "import { buildApp } from '../../program/app.ts'",
    ['server/src/foundation/kernel/planted.ts → server/src/program/app.ts'],
  ],
  [
    "export type { App } from '../../program/app.ts'",
    ['server/src/foundation/kernel/planted.ts → server/src/program/app.ts'],
  ],
  [
    "const app = await import('../../program/app.ts')",
    ['server/src/foundation/kernel/planted.ts → server/src/program/app.ts'],
  ],
  [
    "type App = import('../../program/app.ts').App",
    ['server/src/foundation/kernel/planted.ts → server/src/program/app.ts'],
  ],
  ["// import { buildApp } from '../../program/app.ts'", []],
])('an import to the right is seen: %s', (text, wrong) => {
  expect(wrongTurns(parse('server/src/foundation/kernel/planted.ts', text), serverLine, 'server/src/')).toEqual(wrong)
})

// What each workspace imports of the others. Tools are the programs that generate, measure and test.
const product: Record<string, readonly string[]> = {
  'packages/process-lock': [],
  'packages/embedded-postgres': ['packages/process-lock'],
  'packages/fast-text': [],
  'packages/http-front': ['packages/work'],
  'packages/pg-lanes': ['packages/fast-text', 'packages/work'],
  'packages/search-index': ['packages/work'],
  'packages/work': [],
  'packages/workbook': [],
  'packages/testkit': [],
  client: [],
  console: [],
  'stripe-standin': ['packages/process-lock'],
  server: [
    'packages/embedded-postgres',
    'packages/fast-text',
    'packages/http-front',
    'packages/pg-lanes',
    'packages/process-lock',
    'packages/search-index',
    'packages/work',
    'packages/workbook',
  ],
  bin: ['packages/process-lock'],
}
const tools: Record<string, readonly string[]> = {
  catalogue: ['packages/search-index', 'server'],
  bench: [
    'catalogue',
    'packages/embedded-postgres',
    'packages/search-index',
    'packages/testkit',
    'packages/work',
    'server',
    'server/test',
    'stripe-standin/test',
  ],
  drill: ['catalogue', 'client', 'packages/embedded-postgres', 'packages/testkit', 'server', 'server/test'],
}
/** Only their own tests import these. */
const measured = ['bench', 'drill']

function placeOf(path: string): string {
  if (path in tools || Object.values(tools).some((allowed) => allowed.includes(path))) return path
  return isTestPath(path) ? `${workspaceOf(path)}/test` : workspaceOf(path)
}

/** Imports of other workspaces that the list above does not allow, and of tests by anything but tests and tools. */
function strangers(facts: SourceFacts): string[] {
  const place = placeOf(facts.path)
  return facts.imports
    .map(({ from }) => resolveImport(facts.path, from))
    .filter((target) => workspaces.has(workspaceOf(target)))
    .filter((target) => {
      const at = placeOf(target)
      if (at === place) return false
      if (!isTestPath(facts.path)) return !(product[place] ?? tools[place] ?? []).includes(at)
      // Tests use what they need of the product and of each other's helpers; only a bench's tests know a bench.
      return measured.includes(workspaceOf(target)) && workspaceOf(target) !== workspaceOf(facts.path)
    })
    .map((target) => `${facts.path} → ${target}`)
}

const workspaces = new Set(filesIn('').map(({ path }) => workspaceOf(path)))

describe('workspaces', () => {
  test('each is on the list', () => {
    expect([...workspaces].sort()).toEqual([...Object.keys(product), 'bench', 'catalogue', 'drill'].sort())
  })

  test('each imports of the others what the list says, and only tests and tools import tests', () => {
    expect(filesIn('').flatMap(strangers)).toEqual([])
  })

  test('the client stands alone: neither the service nor a package', () => {
    const outside = filesIn('client/src/').flatMap(({ path, imports }) =>
      imports.map(({ from }) => resolveImport(path, from)).filter((target) => !target.startsWith('client/src/')),
    )
    expect(outside).toEqual([])
    expect(JSON.parse(readFileSync(join(project, 'client/package.json'), 'utf8'))).not.toHaveProperty('dependencies')
  })
})

test.each([
  ['server/src/customers/auth/planted.ts', '../../../test/support/app.ts'],
  ['server/src/customers/auth/planted.ts', '../../../../bench/run.ts'],
  ['server/test/customers/auth/planted.test.ts', '../../../../bench/run.ts'],
  ['packages/search-index/src/planted.ts', '../../../server/src/program/app.ts'],
  ['console/src/api/planted.ts', '../../../server/src/program/app.ts'],
  ['stripe-standin/src/planted.ts', '@storedex/search-index'],
  ['bin/planted.mjs', '../server/test/support/app.ts'],
])('%s may not import %s', (path, from) => {
  expect(strangers(parse(path, `import { it } from '${from}'`))).toHaveLength(1)
})
