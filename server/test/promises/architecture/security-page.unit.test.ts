import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { brokenLinksOf } from './support/pages.ts'
import { project } from './support/tree.ts'

const page = readFileSync(join(project, 'docs/security.md'), 'utf8')

/** The tests that a text names, as `folder/file.test.ts`: "title"; those of packages by their whole path. */
function testsNamedIn(text: string): { file: string; title: string }[] {
  return [...text.matchAll(/`([\w/.-]+\.test\.ts)`: "([^"]+)"/g)].map(([, file, title]) => ({
    file: file!,
    title: title!,
  }))
}

function hasTest({ file, title }: { file: string; title: string }): boolean {
  const path = join(project, file.startsWith('packages/') ? '' : 'server/test', file)
  if (!existsSync(path)) return false
  const source = readFileSync(path, 'utf8')
  return [`'${title.replaceAll("'", "\\'")}'`, `"${title}"`, `\`${title}\``].some((literal) => source.includes(literal))
}

test('every test that the page on security names is there', () => {
  const named = testsNamedIn(page)
  expect(named.length).toBe(page.match(/\.test\.ts`/g)?.length)
  expect(named.filter((each) => !hasTest(each))).toEqual([])
})

test('each of the ten risks of OWASP has its part there, with a test', () => {
  const parts = page.split(/^### /m).slice(1)
  expect(parts.map((part) => /^API\d+/.exec(part)?.[0])).toEqual(Array.from({ length: 10 }, (_, i) => `API${i + 1}`))
  for (const part of parts) expect(testsNamedIn(part), part.slice(0, 60)).not.toEqual([])
})

test('every link of the page leads somewhere', () => {
  expect(brokenLinksOf('docs/security.md')).toEqual([])
})
