import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const source = resolve(import.meta.dirname, '../../src')

// One line; a file imports from its own place and from those left of it.
const line =
  'kernel db search http accounts auth usage billing taxonomy stores contacts imports config deps app cli bin'.split(
    ' ',
  )

interface SourceFile {
  path: string
  text: string
}

const files: SourceFile[] = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path, text: readFileSync(join(source, path), 'utf8') }))

function placeOf(path: string): string {
  return path.split('/')[0]!.replace(/\.ts$/, '')
}

function relativeImports({ path, text }: SourceFile): string[] {
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => match[1]!)
  return specifiers.map((specifier) => relative(source, resolve(dirname(join(source, path)), specifier)))
}

function filesWith(pattern: RegExp, allowed: (path: string) => boolean): string[] {
  return files.filter((file) => pattern.test(file.text) && !allowed(file.path)).map((file) => file.path)
}

test('every folder has its place on the line', () => {
  expect([...new Set(files.map((file) => placeOf(file.path)))].filter((place) => !line.includes(place))).toEqual([])
})

test('imports point left', () => {
  const wrong = files.flatMap((file) =>
    relativeImports(file)
      .filter((target) => line.indexOf(placeOf(target)) > line.indexOf(placeOf(file.path)))
      .map((target) => `${file.path} → ${target}`),
  )
  expect(wrong).toEqual([])
})

describe('one place each', () => {
  test('SQL stands in queries, the database layer, the search engine and the loader', () => {
    const sql = /\b(select\s[^'"]*\sfrom\s|insert into\s|update\s+[a-z_]+\s+set\s|delete from\s)/
    const allowed = (path: string) =>
      path.startsWith('db/') ||
      path.startsWith('search/postgres/') ||
      path.startsWith('search/replica/') ||
      path.startsWith('imports/load') ||
      path.endsWith('queries.ts')
    expect(filesWith(sql, allowed)).toEqual([])
  })

  test('only the configuration reads the environment', () => {
    expect(filesWith(/process\.env/, (path) => path === 'config.ts' || path.startsWith('bin/'))).toEqual([])
  })

  test('only programs exit the process', () => {
    expect(filesWith(/process\.exit\(/, (path) => path.startsWith('bin/'))).toEqual([])
  })

  // An address that a caller, an import or a person on file names is text: nothing of it is ever fetched.
  test('only the payment provider is called over the network', () => {
    const calls = /\bfetch\(|\bhttps?\.(request|get)\(|from '(node:)?(https|http2|dgram|undici|axios)'|new WebSocket\(/
    expect(filesWith(calls, (path) => path.startsWith('billing/stripe'))).toEqual([])
  })

  test('business rules take their time from a clock that is passed in', () => {
    const allowed = (path: string) => path === 'kernel/clock.ts'
    expect(filesWith(/new Date\(\)/, allowed)).toEqual([])
    expect(filesWith(/\bnow\(\)(?! *\{)/, (path) => !path.endsWith('queries.ts'))).toEqual([])
  })
})

test('packages import nothing from the service', () => {
  const packages = resolve(import.meta.dirname, '../../../packages')
  const wrong = readdirSync(packages, { recursive: true, encoding: 'utf8' })
    .filter((path) => /^[^/]+\/src\/.*\.m?[jt]s$/.test(path))
    .filter((path) => /'[^']*(\/server\/|@storedex\/server)/.test(readFileSync(join(packages, path), 'utf8')))
  expect(wrong).toEqual([])
})
