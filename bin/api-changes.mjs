// Compares the API document with the released one and lists what breaks a client of today: `npm run api-changes`. Each such change
// needs its reason in openapi/accepted-changes.json, which a test checks. `--release` makes the present document the released one.
// What counts is the JSON that is sent: a reply may gain properties, a request may take more.
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** @typedef {any} Json */

const folder = join(import.meta.dirname, '../openapi')
/** @type {(name: string) => Json} */
const read = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8'))

/**
 * The changes from one document to another that break clients, each once, sorted.
 * @param {Json} before
 * @param {Json} after
 * @returns {string[]}
 */
export function breakingChanges(before, after) {
  const names = Object.keys(after.components.schemas)
  const gone = Object.keys(before.components.schemas).filter((name) => !names.includes(name))
  const changes = Object.entries(before.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path}`
      const now = after.paths[path]?.[method]
      return now ? compareOperations(name, withSchemas(before, operation), withSchemas(after, now)) : [`${name}: gone`]
    }),
  )
  // Names are seen by generated clients alone, when they are generated again.
  if (gone.length > 0) changes.push(`names of schemas gone: ${gone.join(', ')}`)
  return [...new Set(changes)].sort()
}

/** The changes of the committed document that are not accepted, and those accepted that do not occur. */
export function reviewChanges() {
  const changes = breakingChanges(read('released.json'), read('v1.json'))
  /** @type {{ change: string, why: string }[]} */
  const accepted = read('accepted-changes.json')
  return {
    accepted,
    unaccepted: changes.filter((change) => !accepted.some((entry) => entry.change === change)),
    outdated: accepted.map(({ change }) => change).filter((change) => !changes.includes(change)),
  }
}

/**
 * A part of a document with its schemas in the place of references, each with its name.
 * @type {(document: Json, node: Json) => Json}
 */
function withSchemas(document, node) {
  if (Array.isArray(node)) return node.map((each) => withSchemas(document, each))
  if (typeof node !== 'object' || node === null) return node
  const name = /^#\/components\/schemas\/(\w+)$/.exec(node.$ref)?.[1]
  if (name !== undefined) return { ...withSchemas(document, document.components.schemas[name]), name }
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withSchemas(document, value)]))
}

/** @type {(name: string, before: Json, after: Json) => string[]} */
function compareOperations(name, before, after) {
  const changes = compareParameters(name, before.parameters ?? [], after.parameters ?? [])
  if (before.operationId !== after.operationId) changes.push(`${name}: operationId ${before.operationId} gone`)
  const [sent, taken] = [before.requestBody, after.requestBody]
  if (taken?.required && !sent?.required) changes.push(`${name}: body required`)
  if (sent) changes.push(...compareContents(`${name} body`, sent, taken, 'request'))
  for (const [status, reply] of Object.entries(before.responses))
    if (status < '300') changes.push(...compareContents(`${name} ${status}`, reply, after.responses[status], 'reply'))
  // All errors have one shape.
  const [error, errorNow] = [before, after].map(({ responses }) => responses[Object.keys(responses).at(-1) ?? ''])
  return [...changes, ...compareContents(`${name} error`, error, errorNow, 'reply')]
}

/** @type {(name: string, before: Json[], after: Json[]) => string[]} */
function compareParameters(name, before, after) {
  const keyOf = (/** @type {Json} */ parameter) => `${name} ${parameter.in} ${parameter.name}`
  const old = new Map(before.map((parameter) => [keyOf(parameter), parameter]))
  const now = new Map(after.map((parameter) => [keyOf(parameter), parameter]))
  return [
    ...[...old].flatMap(([key, { schema }]) =>
      now.has(key) ? compare(key, schema, now.get(key).schema, 'request') : [`${key}: gone`],
    ),
    ...[...now].flatMap(([key, { required }]) => (required && !old.get(key)?.required ? [`${key}: required`] : [])),
  ]
}

/** @type {(at: string, before: Json, after: Json, side: Side) => string[]} */
function compareContents(at, before, after, side) {
  return Object.entries(before.content ?? {}).flatMap(([type, { schema }]) => {
    const now = after?.content?.[type]
    return now ? compare(at, schema, now.schema, side) : [`${at}: no ${type}`]
  })
}

/** @typedef {'request' | 'reply'} Side a request is sent as before and taken as after, a reply the other way round */

/**
 * What a shared schema changes is said by its name.
 * @type {(at: string, before: Json, after: Json, side: Side) => string[]}
 */
function compare(at, before, after, side) {
  const place = after.name ?? at
  const [olds, news] = [variantsOf(before), variantsOf(after)]
  if (olds.length > 1 || news.length > 1) {
    // Each variant that is sent needs one that takes it.
    const [sent, taken] = side === 'request' ? [olds, news] : [news, olds]
    return sent.flatMap((one) => {
      const same = taken.filter((other) => typeOf(other) === typeOf(one))
      const tried = (same.length > 0 ? same : taken).map((other) =>
        side === 'request' ? compare(place, one, other, side) : compare(place, other, one, side),
      )
      return tried.reduce((least, each) => (each.length < least.length ? each : least))
    })
  }
  const [old, now] = [olds[0], news[0]]
  if (typeOf(old) !== typeOf(now)) return [`${place}: ${typeOf(now)} instead of ${typeOf(old)}`]
  const changes = compareValues(place, old, now, side)
  if (old.items && now.items) changes.push(...compare(`${place}[]`, old.items, now.items, side))
  for (const [name, property] of Object.entries(old.properties ?? {})) {
    const still = now.properties?.[name]
    changes.push(...(still ? compare(`${place}.${name}`, property, still, side) : [`${place}.${name}: gone`]))
  }
  return changes
}

/** @type {(at: string, old: Json, now: Json, side: Side) => string[]} */
function compareValues(at, old, now, side) {
  const isRequest = side === 'request'
  const [sent, taken] = isRequest ? [old, now] : [now, old]
  /** @type {string[]} */
  const changes = []
  // What a request must have, what a reply always had.
  const missing = (taken.required ?? []).filter((/** @type {string} */ name) => !sent.required?.includes(name))
  for (const name of missing)
    if (isRequest) changes.push(`${at}.${name}: required`)
    else if (now.properties?.[name]) changes.push(`${at}.${name}: can be missing`)
  const [values, known] = [valuesOf(sent), valuesOf(taken)]
  if (known && !values) changes.push(isRequest ? `${at}: only ${known.join(', ')}` : `${at}: any value`)
  for (const value of values ?? [])
    if (known && !known.includes(value)) changes.push(`${at}: ${isRequest ? 'not' : 'can be'} ${value}`)
  for (const [keyword, limits] of Object.entries(narrows)) {
    const [given, wanted] = [sent[keyword], taken[keyword]]
    // Texts of replies may be longer.
    if (wanted === undefined || (keyword === 'maxLength' && !isRequest)) continue
    if (given === undefined || limits(given, wanted)) changes.push(`${at}: ${keyword} ${given} against ${wanted}`)
  }
  return changes
}

/**
 * Whether what is given goes beyond what is wanted, by keyword.
 * @type {Record<string, (given: Json, wanted: Json) => boolean>}
 */
const narrows = {
  ...Object.fromEntries(
    ['minimum', 'minLength', 'minItems', 'minProperties'].map((keyword) => [
      keyword,
      (given, wanted) => given < wanted,
    ]),
  ),
  ...Object.fromEntries(
    ['maximum', 'maxLength', 'maxItems'].map((keyword) => [keyword, (given, wanted) => given > wanted]),
  ),
  pattern: (given, wanted) => given !== wanted,
  format: (given, wanted) => given !== wanted,
}

/**
 * Constants side by side are one enum, whatever the style.
 * @type {(schema: Json) => Json[]}
 */
function variantsOf(schema) {
  /** @type {Json[] | undefined} */
  const variants = schema.anyOf ?? schema.oneOf
  if (!variants) return [schema]
  const constants = variants.filter(valuesOf)
  if (constants.length < 2) return variants.flatMap(variantsOf)
  const others = variants.filter((each) => !constants.includes(each))
  return [...others.flatMap(variantsOf), { enum: constants.flatMap((each) => valuesOf(each) ?? []) }]
}

/** @type {(schema: Json) => Json[] | undefined} */
const valuesOf = (schema) => ('const' in schema ? [schema.const] : (schema.enum ?? schema['x-extensible-enum']))

/** @type {(schema: Json) => string} */
const typeOf = (schema) => schema.type ?? typeof valuesOf(schema)?.[0]

if (process.argv[1] && resolve(process.argv[1]) === import.meta.filename) {
  if (process.argv.includes('--release')) {
    /** @type {(key: string, value: unknown) => unknown} */
    const withoutExamples = (key, value) => (/^examples?$/.test(key) ? undefined : value)
    writeFileSync(join(folder, 'released.json'), `${JSON.stringify(read('v1.json'), withoutExamples, 1)}\n`)
    writeFileSync(join(folder, 'accepted-changes.json'), '[]\n')
  } else {
    const { accepted, unaccepted, outdated } = reviewChanges()
    for (const { change, why } of accepted) console.log(`accepted: ${change}\n  ${why}`)
    for (const change of outdated) console.log(`accepted, but does not occur: ${change}`)
    for (const change of unaccepted) console.log(`breaks clients: ${change}`)
    process.exitCode = unaccepted.length + outdated.length > 0 ? 1 : 0
  }
}
