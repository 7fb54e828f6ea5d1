import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../support/client.ts'

// The shapes of the published document, which is the served one (`openapi.test.ts`).
const document: Json = JSON.parse(readFileSync(join(import.meta.dirname, '../../../../openapi/v1.json'), 'utf8'))
const schemas: Record<string, Json> = document.components.schemas
const operations = Object.values<Json>(document.paths).flatMap((methods) => Object.values<Json>(methods))

const nameOf = ($ref: string) => $ref.replace('#/components/schemas/', '')

/** All schemas within a node, with their paths. A property whose name is a keyword is a schema too. */
function schemasIn(node: Json, path: string): [path: string, schema: Json][] {
  if (typeof node !== 'object' || node === null) return []
  const below = Object.entries<Json>(node).flatMap(([key, value]) => {
    if (['example', 'examples', 'enum', 'mapping'].includes(key)) return []
    if (key === 'properties')
      return Object.entries<Json>(value).flatMap(([name, property]) => schemasIn(property, `${path}.${name}`))
    return schemasIn(value, Array.isArray(node) ? path : `${path}/${key}`)
  })
  return [[path, node], ...below]
}

/** The names of the schemas that these nodes use, also within others. */
function reachedFrom(nodes: Json[]): Set<string> {
  const reached = new Set<string>()
  const visit = (node: Json): void => {
    for (const [, { $ref }] of schemasIn(node, '')) {
      if (typeof $ref !== 'string' || !(nameOf($ref) in schemas) || reached.has(nameOf($ref))) continue
      reached.add(nameOf($ref))
      visit(schemas[nameOf($ref)])
    }
  }
  for (const node of nodes) visit(node)
  return reached
}

const sent = reachedFrom(operations.map(({ requestBody }) => requestBody))
const received = reachedFrom(operations.map(({ responses }) => responses))
const named = Object.entries(schemas).flatMap(([name, schema]) => schemasIn(schema, name))

describe('the schemas', () => {
  test('bear the names of the contract', () => {
    const promised = [
      ...['Usage', 'BillingStatus', 'BillingLink', 'Store', 'StoreEnrichmentResult', 'ContactPreview', 'Contact'],
      ...['ContactRevealResult', 'TrialCreditBillingAction', 'ApiAccessBillingAction', 'StoreSearchFilters'],
      ...['TechnologyFilter', 'DateRangeFilter', 'ContactPersonFilters', 'ContactStoreFilters', 'Error'],
    ]
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(promised))
    expect(Object.keys(schemas).filter((name) => /Reply|Response/.test(name))).toEqual([])
  })

  test('have a description each, and so has every property', () => {
    const undescribed = (schema: Json) =>
      !schema.description && !(schema.$ref && schemas[nameOf(schema.$ref)].description)
    const missing = Object.entries(schemas).flatMap(([name, schema]) => [
      ...(schema.description ? [] : [name]),
      ...Object.entries<Json>(schema.properties ?? {}).flatMap(([property, each]) =>
        undescribed(each) ? [`${name}.${property}`] : [],
      ),
    ])
    expect(missing).toEqual([])
    for (const [path, { description }] of named)
      if (typeof description === 'string') expect(description, path).toMatch(/\.$/)
  })

  test('are closed in requests and open in replies', () => {
    expect([...sent].filter((name) => received.has(name))).toEqual([])
    expect(new Set([...sent, ...received])).toEqual(new Set(Object.keys(schemas)))
    const isClosed = ([, schema]: [string, Json]) => schema.additionalProperties === false
    for (const name of received) expect(schemasIn(schemas[name], name).filter(isClosed), name).toEqual([])
    for (const name of sent) expect(schemas[name].additionalProperties, name).toBe(false)
  })

  test('say in replies which enums may grow, and none in requests', () => {
    const growing = new Map(named.filter(([, schema]) => 'x-extensible-enum' in schema))
    expect(growing.size).toBeGreaterThan(10)
    for (const [path, schema] of growing) {
      expect(received, path).toContain(path.split(/[./]/)[0])
      expect(schema, path).not.toHaveProperty('enum')
    }
    // What the contract lists stays as it is.
    for (const [name, property] of [
      ...[
        ['UsagePlan', 'slug'],
        ['Contact', 'seniority'],
        ['Contact', 'reveal_status'],
      ],
      ...[
        ['StoreEnrichmentRow', 'status'],
        ['UsageKey', 'mode'],
        ['BillingLink', 'kind'],
        ['ErrorDetails', 'type'],
      ],
    ] as const)
      expect(schemas[name]!.properties[property], `${name}.${property}`).toHaveProperty('enum')
  })

  test('have one style for enums, and one for null', () => {
    for (const [path, schema] of named) {
      const { anyOf = [], oneOf, type, enum: values } = schema
      expect(oneOf, path).toBeUndefined()
      expect(Array.isArray(type), path).toBe(false)
      expect(
        anyOf.filter((each: Json) => 'const' in each || 'anyOf' in each),
        path,
      ).toEqual([])
      if (values) expect(type, path).toBe('string')
      const isNullable = anyOf.some((each: Json) => each.type === 'null')
      if (isNullable) expect(schema, path).toHaveProperty('description')
    }
  })

  test('are told apart by a property with constants where one of several objects is sent', () => {
    const variants = [...named, ...operations.flatMap(({ requestBody }) => schemasIn(requestBody, 'body'))].filter(
      ([, { discriminator }]) => discriminator,
    )
    expect(variants.length).toBe(2)
    for (const [path, { anyOf, discriminator }] of variants) {
      const { propertyName, mapping } = discriminator
      const constants = anyOf.flatMap(({ $ref }: Json) => {
        const { const: value, enum: values = [value] } = schemas[nameOf($ref)].properties[propertyName]
        return values.map((each: string) => [each, $ref])
      })
      expect(mapping, path).toEqual(Object.fromEntries(constants))
    }
  })
})
