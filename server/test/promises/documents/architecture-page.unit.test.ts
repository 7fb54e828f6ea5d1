import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exportersOf, filesIn, project } from '../architecture/support/tree.ts'

// What docs/architecture.md and the other pages about the code name in code font: paths, tests, exported names.
const pages = ['docs/architecture.md', 'docs/search-index.md', 'docs/testing.md', 'CONTRIBUTING.md']
const sources = filesIn(/^(server|packages\/[\w-]+|client)\/src\/|^bin\/tests\/|^server\/test\/.*\bsupport\//)
const filesOf = exportersOf(sources)

/** The text outside of fenced blocks. */
const proseOf = (page: string) => page.replace(/^```[\s\S]*?^```$/gm, '')
const codeIn = (text: string) => [...proseOf(text).matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!)

/** A file or folder: the path of the project, or from `server/src/` or `server/test/` on. No route, URL or placeholder. */
const isPath = (code: string) => /^[\w.-]+(\/[\w.-]+)*\/[\w.-]*$/.test(code)
const starts = ['', 'server/src/', 'server/test/']
/** Paths that only exist while something runs or is built. */
const made = ['DATA_DIR/postgres']

/** A test that is named without its folder is in one of these; `x.test.ts` is any. */
const testFolders = ['architecture', 'documents']
const isTestBeside = (code: string) => /^(?!x\.)[\w.-]+\.test\.ts$/.test(code)

const isThere = (path: string) => starts.some((start) => existsSync(join(project, start, path)))

/** A name such as `searchStores` or `SearchService`: two words without a space between them. */
const isName = (code: string) => /^([a-z]+|[A-Z][a-z]+)([A-Z][a-z]+)+$/.test(code)
/** Hooks of Fastify, fields of objects, a placeholder, and a name inside `operations/config.ts`. */
const foreign = ['onRequest', 'onSend', 'preValidation', 'operationId', 'errorCode', 'verbNoun', 'secretNames']

function missingIn(text: string): string[] {
  const code = codeIn(text)
  return [
    ...code.filter((each) => isPath(each) && !made.includes(each) && !isThere(each)),
    ...code.filter(
      (each) => isTestBeside(each) && !testFolders.some((folder) => isThere(`server/test/promises/${folder}/${each}`)),
    ),
    ...code.filter((each) => isName(each) && !foreign.includes(each) && !filesOf.has(each)),
    ...namedWithFile(text)
      .filter(({ name, path }) => !exportsOf(path).includes(name))
      .map(({ name, path }) => `${name} (${path})`),
  ]
}

/** `name` (`path.ts`): the file that exports it. */
function namedWithFile(text: string): { name: string; path: string }[] {
  return [...text.matchAll(/`([A-Za-z]+)`\s+\(`([\w./-]+\.ts)`\)/g)].map(([, name, path]) => ({
    name: name!,
    path: path!,
  }))
}

function exportsOf(path: string): readonly string[] {
  return sources.find((facts) => starts.some((start) => facts.path === start + path))?.exports ?? []
}

test.each(pages)('%s names paths, tests and exports that are there', (path) => {
  expect(missingIn(readFileSync(join(project, path), 'utf8'))).toEqual([])
})

test('the page on architecture says where its verbs are', () => {
  const named = namedWithFile(readFileSync(join(project, 'docs/architecture.md'), 'utf8'))
  expect(named.length).toBeGreaterThan(40)
})

test('every room of the server has its line there', () => {
  const text = readFileSync(join(project, 'docs/architecture.md'), 'utf8')
  const rooms = new Set(
    filesIn('server/src/').map(({ path }) => /^server\/src\/([\w-]+\/[\w-]+(?:\.ts$)?)/.exec(path)![1]!),
  )
  const isNamed = (room: string) => text.includes(`| \`${room}`) || text.includes(`, \`${room}`)
  expect([...rooms].filter((room) => !isNamed(room))).toEqual([])
})

test.each([
  'A file: `product/gone.ts`',
  'A folder: `product/gone/`',
  'A test: `server/test/product/gone.test.ts`',
  'A test of this folder: `gone.unit.test.ts`',
  'A verb: `findGoneStores`',
  '`searchStores` (`product/stores/routes.ts`)',
])('%s is seen', (text) => {
  expect(missingIn(text)).toHaveLength(1)
})
