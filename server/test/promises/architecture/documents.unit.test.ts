import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { project } from './support/tree.ts'

const read = (file: string) => readFileSync(join(project, file), 'utf8')
const withoutCode = (text: string) => text.replace(/^```.*?^```/gms, '')
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

/** The anchors that GitHub gives to the headings of a document. */
function anchorsOf(file: string): Set<string> {
  const seen = new Map<string, number>()
  return new Set(
    [...withoutCode(read(file)).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => {
      const id = heading!
        .toLowerCase()
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .replace(/[^\p{L}\p{N}_\s-]/gu, '')
        .replaceAll(' ', '-')
      const count = seen.get(id) ?? 0
      seen.set(id, count + 1)
      return count === 0 ? id : `${id}-${count}`
    }),
  )
}

/** The links and pictures of a document that lead nowhere. */
function brokenLinksOf(file: string): string[] {
  const text = withoutCode(read(file))
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)|src="([^"]+)"/g)].map(([, link, source]) => link ?? source!)
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false
    const [path = '', anchor] = target.split('#')
    const linked = path ? join(dirname(file), path) : file
    if (!existsSync(join(project, linked))) return true
    return anchor !== undefined && linked.endsWith('.md') && !anchorsOf(linked).has(anchor)
  })
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
