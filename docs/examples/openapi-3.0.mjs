// Rewrites the API's OpenAPI 3.1 document for generators that know only 3.0: node openapi-3.0.mjs v1.json > v1-3.0.json
// Loses what 3.0 cannot say or old generators check wrongly: scopes of keys, patterns of values that may be null, unions of objects.
import { readFileSync } from 'node:fs'

const document = convert(JSON.parse(readFileSync(process.argv[2], 'utf8')))
document.openapi = '3.0.3'
delete document.info.summary
delete document.info.license?.identifier
for (const path of Object.values(document.paths))
  for (const operation of Object.values(path)) if (operation.security) operation.security = [{ bearerKey: [] }]
console.log(JSON.stringify(document, null, 2))

/** Converts a schema, or anything that contains some. */
function convert(node) {
  if (Array.isArray(node)) return node.map(convert)
  if (typeof node !== 'object' || node === null) return node
  const { anyOf, const: only, examples, patternProperties, ...others } = node
  const result = Object.fromEntries(Object.entries(others).map(([key, value]) => [key, convert(value)]))
  if (Array.isArray(anyOf)) addUnion(result, anyOf)
  else if (anyOf !== undefined) result.anyOf = convert(anyOf)
  if (only !== undefined) Object.assign(result, typeof only === 'object' ? { const: convert(only) } : oneValue(only))
  if (examples !== undefined) Object.assign(result, Array.isArray(examples) ? { example: examples[0] } : { examples })
  if (patternProperties) result.additionalProperties = convert(Object.values(patternProperties)[0])
  if (result.default === null) delete result.default
  // Python, Java and Go read \p{…} differently, and some generators match null with the pattern.
  if (result.nullable || /\\p\{/.test(result.pattern ?? '')) delete result.pattern
  return result
}

function addUnion(result, anyOf) {
  const kinds = anyOf.filter((kind) => kind.type !== 'null').map(convert)
  if (kinds.length < anyOf.length) result.nullable = true
  const [first, ...rest] = kinds
  if (rest.length === 0) Object.assign(result, first.$ref ? { allOf: [first] } : first)
  // Known values, or any other: the values are in the description.
  else result.type = kinds.every(({ type }) => type === first.type) ? (first.type ?? 'object') : 'object'
}

function oneValue(value) {
  return { type: typeof value, enum: [value] }
}
