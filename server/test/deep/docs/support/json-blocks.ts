import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'

/** What stands for left-out properties and elements. */
const omission = '…'

/** Parses JSON in which `, … }` and `, …]` leave something out. */
export function parseExample(text: string): unknown {
  const json = text
    .replace(/,\s*…\s*\}/g, `,"${omission}":0}`)
    .replace(/,\s*…\s*\]/g, `,"${omission}"]`)
    .replace(/\[\s*…\s*\]/g, `["${omission}"]`)
  return JSON.parse(json)
}

/** Checks bodies and replies of the API against the schemas of its document. */
export class ExampleChecker {
  readonly #ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false })
  readonly #replies = new Map<string, ValidateFunction[]>()
  readonly #bodies: ValidateFunction[] = []

  constructor(projectDir: string) {
    const document = JSON.parse(readFileSync(join(projectDir, 'openapi/v1.json'), 'utf8'))
    close(document)
    this.#ajv.addSchema(document, 'api')
    this.#collect(document, '')
  }

  /** The values of `object` that replies have. */
  objects(): string[] {
    return [...this.#replies.keys()].filter((name) => name !== 'error').sort()
  }

  /** What is wrong with an example: nothing, if one of the schemas that it could be fits. */
  problems(example: unknown): string[] {
    const { object, error } = example as { object?: string; error?: object }
    const candidates = object ? this.#replies.get(object) : error ? this.#replies.get('error') : this.#bodies
    if (!candidates) return [`no reply has the object ${JSON.stringify(object)}`]
    const results = candidates.map((validate) => {
      const errors = validate(withoutOmissions(example)) ? [] : (validate.errors ?? [])
      return errors.filter((each) => !isOmitted(each, example)).map((each) => `${each.instancePath} ${each.message}`)
    })
    return results.sort((a, b) => a.length - b.length)[0]!
  }

  #collect(node: unknown, pointer: string): void {
    if (typeof node !== 'object' || node === null) return
    const { properties, requestBody } = node as {
      properties?: Record<string, { const?: string; enum?: string[]; 'x-extensible-enum'?: string[] }>
      requestBody?: { content?: object }
    }
    const { const: constant, enum: choices, 'x-extensible-enum': known } = properties?.object ?? {}
    const name = constant ?? choices?.[0] ?? known?.[0] ?? (pointer.endsWith('/Error') && 'error')
    if (name) this.#replies.set(name, [...(this.#replies.get(name) ?? []), this.#compile(pointer)])
    if (requestBody?.content) {
      const path = `${pointer}/requestBody/content/application~1json/schema`
      this.#bodies.push(this.#compile(path))
    }
    for (const [key, child] of Object.entries(node))
      this.#collect(child, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)
  }

  #compile(pointer: string): ValidateFunction {
    return this.#ajv.compile({ $ref: `api#${encodeURI(pointer)}` })
  }
}

/** Closes the schemas of replies, which may grow: an example has nothing that the document lacks. */
function close(node: unknown): void {
  if (typeof node !== 'object' || node === null) return
  const schema = node as { type?: unknown; properties?: object; additionalProperties?: unknown; allOf?: unknown }
  if (schema.type === 'object' && schema.properties && !schema.allOf) schema.additionalProperties = false
  for (const child of Object.values(node)) close(child)
}

function withoutOmissions(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== omission).map(withoutOmissions)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([key]) => key !== omission)
  return Object.fromEntries(kept.map(([key, child]) => [key, withoutOmissions(child)]))
}

/** Whether something is missing where the example says that it leaves something out: properties, or the end of a value. */
function isOmitted({ keyword, instancePath }: ErrorObject, example: unknown): boolean {
  const path = instancePath.split('/').slice(1)
  const value = path.reduce<unknown>((parent, key) => (parent as Record<string, unknown> | undefined)?.[key], example)
  if (typeof value === 'string') return value.endsWith(omission)
  return keyword === 'required' && typeof value === 'object' && value !== null && omission in value
}
