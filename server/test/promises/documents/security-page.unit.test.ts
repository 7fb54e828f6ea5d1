import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { project } from '../architecture/support/tree.ts'

const page = readFileSync(join(project, 'docs/security.md'), 'utf8')

interface NamedTest {
  file: string
  /** The title; if it ends with `…`, its beginning. */
  title: string
}

/** The tests that a text names, as `folder/file.test.ts`: "title"; "another one"; those of packages by their whole path. */
function testsNamedIn(text: string): NamedTest[] {
  return [...text.matchAll(/`([\w/.-]+\.test\.ts)`: ("[^"]+"(?:; "[^"]+")*)/g)].flatMap(([, file, titles]) =>
    [...titles!.matchAll(/"([^"]+)"/g)].map(([, title]) => ({ file: file!, title: title! })),
  )
}

function hasTest({ file, title }: NamedTest): boolean {
  const path = join(project, file.startsWith('packages/') ? '' : 'server/test', file)
  if (!existsSync(path)) return false
  const source = readFileSync(path, 'utf8').replaceAll("\\'", "'")
  const isCut = title.endsWith('…')
  const literals = ["'", '"', '`'].map((quote) => quote + (isCut ? title.slice(0, -1) : title + quote))
  const found = literals.reduce((sum, literal) => sum + source.split(literal).length - 1, 0)
  // The beginning of a title has to be of one test only.
  return isCut ? found === 1 : found > 0
}

test('every test that the page on security names is there', () => {
  const named = testsNamedIn(page)
  expect(named.length).toBe(page.match(/"[^"\n]+"/g)?.length)
  expect(new Set(named.map(({ file }) => file)).size).toBe(new Set(page.match(/[\w/.-]+\.test\.ts(?=`)/g)).size)
  expect(named.filter((each) => !hasTest(each))).toEqual([])
})

test('each of the ten risks of OWASP has its part there, with a test', () => {
  const parts = page.split(/^### /m).slice(1)
  expect(parts.map((part) => /^API\d+/.exec(part)?.[0])).toEqual(Array.from({ length: 10 }, (_, i) => `API${i + 1}`))
  for (const part of parts) expect(testsNamedIn(part), part.slice(0, 60)).not.toEqual([])
})
