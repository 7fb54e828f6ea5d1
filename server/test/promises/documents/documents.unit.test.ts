import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { project } from '../architecture/support/tree.ts'
import { brokenLinksOf } from './support/pages.ts'

const read = (file: string) => readFileSync(join(project, file), 'utf8')
const linesOf = (file: string) => read(file).trimEnd().split('\n')

/** Every document that a person reads, from the checkout. */
function listDocuments(): string[] {
  const folders = ['.', 'bench', 'catalogue', 'catalogue/sandbox', 'client', 'console', 'drill', 'stripe-standin']
  const loose = folders.flatMap((folder) =>
    readdirSync(join(project, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  )
  const docs = readdirSync(join(project, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name))
  return [...loose, ...docs].sort()
}

const documents = listDocuments()

test('every link of the documents leads to a file, and to a heading of it', () => {
  expect(documents.length).toBeGreaterThan(60)
  const broken = documents.flatMap((file) => brokenLinksOf(file).map((target) => `${file}: ${target}`))
  expect(broken).toEqual([])
})

test('the first screen of the README is one sentence, one picture, two commands, one request and four links', () => {
  const screen = read('README.md').split(/^## /m)[0]!
  expect(screen.split('\n\n')[1]).toMatch(/^[^.]+\.$/)
  expect(screen.match(/<img |!\[/g)).toHaveLength(1)
  expect(screen.match(/^npm /gm)).toHaveLength(2)
  expect(screen.match(/^curl /gm)).toHaveLength(1)
  expect(screen.match(/\]\(/g)).toHaveLength(4)
  expect(linesOf('README.md').length).toBeLessThanOrEqual(120)
})

test('the README says how many stores and people the demonstration has', () => {
  const stores = linesOf('catalogue/demo/stores.ndjson').length + linesOf('catalogue/demo/real-shops.ndjson').length
  const people = linesOf('catalogue/demo/contacts.ndjson').length
  const figures = [stores, people].map((count) => count.toLocaleString('en'))
  expect(read('README.md')).toContain(`${figures[0]} demonstration stores and ${figures[1]} invented people`)
})
