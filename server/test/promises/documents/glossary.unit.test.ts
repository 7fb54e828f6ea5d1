import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { exportersOf, filesIn, project } from '../architecture/support/tree.ts'

interface Entry {
  term: string
  meaning: string
}

const read = (path: string) => readFileSync(join(project, path), 'utf8')

function entriesOf(page: string): Entry[] {
  return page
    .split(/^## /m)
    .slice(1)
    .map((part) => ({ term: part.slice(0, part.indexOf('\n')), meaning: part.slice(part.indexOf('\n')).trim() }))
}

/** The names in code font of an entry's parentheses: exports, tables and columns. */
function namesOf({ meaning }: Entry): string[] {
  return [...meaning.matchAll(/\((`[^()]+`)\)/g)].flatMap(([, names]) =>
    [...names!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
  )
}

const entries = entriesOf(read('docs/glossary.md'))
const sources = filesIn(/^(server|packages\/[\w-]+)\/src\//)
const filesOf = exportersOf(sources)

describe('the glossary', () => {
  test('has at most eighty terms, sorted, one entry each', () => {
    const terms = entries.map(({ term }) => term)
    expect(terms.length).toBeGreaterThan(50)
    expect(terms.length).toBeLessThanOrEqual(80)
    expect(terms).toEqual([...new Set(terms)].sort())
  })

  test('has a meaning for each, of at most 45 words', () => {
    const long = entries.filter(({ meaning }) => meaning === '' || meaning.split(/\s+/).length > 45)
    expect(long.map(({ term }) => term)).toEqual([])
  })

  test('names exports that exist once, tables and columns', () => {
    const schema = read('server/schema.sql')
    const isInSchema = (name: string) => name.split('.').every((part) => new RegExp(`\\b${part}\\b`).test(schema))
    const named = entries.flatMap(namesOf)
    expect(named.length).toBeGreaterThan(30)
    expect(named.filter((name) => filesOf.get(name)?.length !== 1 && !isInSchema(name))).toEqual([])
    expect(isInSchema('no_such_table')).toBe(false)
  })

  test('gives an export to one term only', () => {
    const named = entries.flatMap(namesOf)
    expect(named.filter((name, index) => named.indexOf(name) !== index)).toEqual([])
  })
})

interface Forbidden {
  pattern: RegExp
  say: string
  seen: string
}

// Earlier words for a term. A name is judged by its words, so that `returnList` is none of `turn`.
const forbidden: Forbidden[] = [
  { pattern: /Anew$|^anew/, say: 'again', seen: 'sendAnew' },
  { pattern: /somebody|nobody/i, say: 'the subject', seen: 'nobodyHere' },
  { pattern: /[Ss]tandings?(?![a-z])/, say: 'cached key', seen: 'KeyStandings' },
  { pattern: /^known[A-Z]?key|^KnownKey/, say: 'cached key', seen: 'KnownKey' },
  { pattern: /(^t|T)urns?(?![a-z])/, say: 'lease', seen: 'claimTurn' },
  { pattern: /BillingProblem/i, say: 'billing conflict', seen: 'BillingProblem' },
  { pattern: /^(sign|invite|suspend|create|list|manage)\w*People/, say: 'users', seen: 'managePeople' },
  {
    pattern: /^(CatalogueView|SerializedView|OpenView|IndexView|ViewIndex)/,
    say: 'CatalogueIndex',
    seen: 'CatalogueView',
  },
]

/** Names that still have an earlier word. Remove a name when it is renamed; the test below asks for it. */
const notYetRenamed: string[] = []

const isForbidden = (name: string) => forbidden.some(({ pattern }) => pattern.test(name))

describe('earlier words are not exported', () => {
  test('by the service and its packages', () => {
    const names = [...filesOf.keys()].filter((name) => isForbidden(name) && !notYetRenamed.includes(name))
    expect(names).toEqual([])
  })

  test('and an exception is a name that exists', () => {
    expect(notYetRenamed.filter((name) => !filesOf.has(name) || !isForbidden(name))).toEqual([])
  })

  test.each(forbidden)('$seen is seen: say $say', ({ seen, pattern }) => {
    expect(seen).toMatch(pattern)
  })

  test.each(['returnList', 'ReturnUrls', 'ErasablePerson', 'CatalogueIndex'])('%s is none', (name) => {
    expect(isForbidden(name)).toBe(false)
  })

  // Those of cells read the words of a file that is imported; they hold no labels.
  test('no file of labels is named for words', () => {
    const files = filesIn(/\/src\/.*\/words\.tsx?$/).map(({ path }) => path)
    expect(files.filter((path) => !path.includes('/imports/cells/'))).toEqual([])
  })
})
