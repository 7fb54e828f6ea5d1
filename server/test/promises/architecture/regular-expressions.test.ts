// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Source texts of templates.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { check } from 'recheck'
import { describe, expect, test } from 'vitest'
import { validationOptions } from '../../../src/foundation/http/validation.ts'
import { type FoundExpression, findRegularExpressions, readSources } from './support/regular-expressions.ts'
import { project, sourcePaths } from './support/tree.ts'

const product = /^(server|packages\/[\w-]+|stripe-standin|client|console)\/src\//
const found = findRegularExpressions(readSources(sourcePaths.filter((path) => product.test(path))))

/** The patterns of an API document: those of its schemas that the code puts together. */
function patternsOf(path: string): FoundExpression[] {
  const patterns: FoundExpression[] = []
  JSON.parse(readFileSync(join(project, path), 'utf8'), (name, value) => {
    if (name === 'pattern' && typeof value === 'string')
      patterns.push({ path, source: value, flags: 'u', text: `/${value}/u` })
    return value
  })
  return patterns
}

interface Exception {
  path: string
  starts: string
  reason: string
}

// Quadratic, and their text is bounded.
const bounded: Exception[] = [
  {
    path: 'server/src/customers/keys/schema.ts',
    starts: '/^[^\\x00-\\x1f\\x7f-\\x9f]*[^\\x00-\\x20',
    reason: 'the pattern of a line; its schemas have a maxLength of 200 at most',
  },
  {
    path: 'server/src/customers/users/schema.ts',
    starts: '/^[^\\u0000-\\u001f]*[^\\s',
    reason: 'the schema of a name has a maxLength of 200',
  },
  {
    path: 'server/src/foundation/runtime/logger.ts',
    starts: '/\\b[a-z]',
    reason: 'it gets at most 1,000 characters of a message',
  },
  {
    path: 'server/src/foundation/runtime/logger.ts',
    starts: '/[^\\s"',
    reason: 'it gets at most 1,000 characters of a message',
  },
  {
    path: 'packages/embedded-postgres/src/settings.ts',
    starts: '/FATAL: .*',
    reason: "it gets at most 4,000 characters of each log of the service's own PostgreSQL",
  },
]
const fewCharacters = 'its assertions look at a few characters and at no more; without them it is linear'
// With assertions and references, which recheck cannot decide. Each was read: they take linear time, or their text is bounded.
const read: Exception[] = [
  { path: 'client/src/options.ts', starts: '/(?<!\\/)\\/+$/', reason: 'it begins once in a row of slashes' },
  { path: 'console/src/lib/filters/search-text/tokens.ts', starts: '/(?:[^\\s,;/|]|(?<=', reason: fewCharacters },
  {
    path: 'server/src/customers/billing/sync/webhooks.ts',
    starts: '/^(?=.*(^|,)t=',
    reason: 'it begins once, and so does each of its assertions',
  },
  {
    path: 'server/src/operations/config.ts',
    starts: '/^(?=.{1,253}$)',
    reason: 'it begins once, with 253 characters at most',
  },
  { path: 'server/src/doors/console/openid/routes.ts', starts: '/^\\/(?!', reason: fewCharacters },
  {
    path: 'server/src/doors/console/session/settings.ts',
    starts: '/(?<!\\\\)(\\\\\\\\)*',
    reason: 'it begins once in a row of backslashes',
  },
  {
    path: 'server/src/catalogue/imports/cells/clean-cell.ts',
    starts: "/^'(?=",
    reason: 'it begins once, and so does its assertion',
  },
  { path: 'server/src/catalogue/imports/cells/clean-cell.ts', starts: '/^(?!n(?:ull', reason: fewCharacters },
  {
    path: 'server/src/catalogue/imports/cells/numbers.ts',
    starts: '/^-?[1-9]',
    reason: 'its reference is one character',
  },
  { path: 'server/src/foundation/kernel/channels/profile.ts', starts: '/^(?!https?:)', reason: fewCharacters },
  { path: 'server/src/foundation/kernel/csv.ts', starts: '/^[A-Za-z0-9](?:(?:', reason: fewCharacters },
  { path: 'server/src/foundation/kernel/csv.ts', starts: '/([;,|\\t', reason: fewCharacters },
]
// Made of what is no constant.
const dynamic: Exception[] = [
  { path: 'client/src/parts.ts', starts: 'new RegExp(`^${name}', reason: 'the name of a member of a request' },
  {
    path: 'server/src/customers/administration/schema.ts',
    starts: 'pattern: `^${prefix}_',
    reason: 'it is in the document of the console',
  },
  {
    path: 'server/src/search/taxonomy/sync-taxonomy.ts',
    starts: 'pattern: valuePattern',
    reason: 'the argument is slugPattern or a literal, which are found by their names',
  },
]
const isException = (line: string, { path, starts }: Exception) => line.startsWith(`${path} ${starts}`)

/**
 * Large bounds make the search for repetitions long, and only unbounded repetitions make a text of any length slow: `{0,61}` is
 * looked at as `{0,3}`.
 */
function withSmallBounds(source: string): string {
  return source.replace(/(?<!\\[upx])\{(\d+)(,?)(\d*)\}/g, (_, least: string, comma: string, most: string) => {
    return `{${Math.min(Number(least), 2)}${comma}${most && Math.min(Number(most), 3)}}`
  })
}

/** Those whose time may grow faster than the text, each once, as `path text: how`. */
async function findSlow(expressions: readonly FoundExpression[]): Promise<string[]> {
  const distinct = new Map<string, FoundExpression>()
  for (const each of expressions) {
    const key = `${withSmallBounds(each.source)}/${each.flags}`
    if (!distinct.has(key)) distinct.set(key, each)
  }
  const slow: string[] = []
  for (const { path, source, flags, text } of distinct.values()) {
    // Never by trying random texts, which now and then takes a linear one for a slow one.
    const result = await check(withSmallBounds(source), flags, { timeout: null, checker: 'automaton' })
    if (result.status === 'safe') continue
    slow.push(`${path} ${text}: ${result.status === 'vulnerable' ? result.complexity.summary : result.error.kind}`)
  }
  return slow
}

describe('the time of a regular expression', () => {
  // Without recheck's own program it takes minutes.
  test('grows with its text and not faster, or the text is bounded', { timeout: 600_000 }, async () => {
    expect(found.expressions.length).toBeGreaterThan(300)
    const documented = ['openapi/v1.json', 'openapi/console.json'].flatMap(patternsOf)
    expect(documented.length).toBeGreaterThan(50)
    const slow = await findSlow([...found.expressions, ...documented])
    const exceptions = [...bounded, ...read]
    expect(slow.filter((line) => !exceptions.some((each) => isException(line, each)))).toEqual([])
    expect(exceptions.filter((each) => !slow.some((line) => isException(line, each)))).toEqual([])
  })

  test('is not spent on a text that is too long for its schema: the length is compared first', () => {
    const { allErrors, strict } = validationOptions.customOptions ?? {}
    const validate = new Ajv({
      ...(allErrors !== undefined && { allErrors }),
      ...(strict !== undefined && { strict }),
    }).compile({
      type: 'string',
      pattern: '^[0-9]+$',
      maxLength: 10,
    })
    expect(validate('no more digits')).toBe(false)
    expect(validate.errors?.map(({ keyword }) => keyword)).toEqual(['maxLength'])
  })

  test('is looked at wherever one is made', () => {
    const { unknown } = found
    expect(unknown.filter((line) => !dynamic.some((each) => isException(line, each)))).toEqual([])
    expect(dynamic.filter((each) => !unknown.some((line) => isException(line, each)))).toEqual([])
  })

  test.each([
    ['a literal', 'text.replace(/^\\s+|\\s+$/g, "")'],
    ['a schema', "Type.String({ pattern: '^(a|a)*$' })"],
    ['a constructor with constants', "const part = '(?:[a-z]+)*'; const all = new RegExp(`^${part}!$`, 'i')"],
    ['raw text', 'RegExp(String.raw`\\d+\\.?\\d+$`)'],
    ['what another expression is made of', 'const part = /(.*),(.*),x/; new RegExp(part.source)'],
    ['bounds too large to be followed', 'const wide = /(?:\\s{0,500})+$/'],
  ])('that is not linear is seen: %s', async (_, text) => {
    const planted = findRegularExpressions([{ path: 'planted.ts', text }])
    expect(planted.unknown).toEqual([])
    expect(await findSlow(planted.expressions)).toHaveLength(1)
  })

  test('is seen through constants of other files, and not where there is none', () => {
    const sources = [
      { path: 'a.ts', text: "const part = 'a+'; export const whole = `^${part}$`" },
      { path: 'b.ts', text: "import { whole } from './a.ts'; new RegExp(whole); const part = 'b'" },
      { path: 'c.ts', text: 'const make = (whole: string) => new RegExp(whole)' },
    ]
    const { expressions, unknown } = findRegularExpressions(sources)
    expect(expressions.map(({ text }) => text)).toEqual(['/^a+$/'])
    expect(unknown).toEqual(['c.ts new RegExp(whole)'])
  })
})
