import { figure } from '../kernel/format.ts'
/** The part of JSON Schema that request schemas use. */
export interface JsonSchema {
  type?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly JsonSchema[]
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  minProperties?: number
  pattern?: string
  [annotation: string]: unknown
}

/** What a schema asks for, as the end of the sentence "… must be". */
export function describeExpected(schema: JsonSchema): string {
  if (schema.anyOf) return describeUnion(schema.anyOf)
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return `one of ${schema.enum.map(literal).join(', ')}`
  switch (schema.type) {
    case 'object':
      return describeObject(schema)
    case 'array':
      return `a list${range(schema.minItems, schema.maxItems, ' of ', ' items')}`
    case 'string':
      return `a string${range(schema.minLength, schema.maxLength, ' of ', ' characters')}${schema.pattern ? ` that matches ${schema.pattern}` : ''}`
    case 'integer':
      return `a whole number${range(schema.minimum, schema.maximum, ' ', '', 'from ')}`
    case 'number':
      return `a number${range(schema.minimum, schema.maximum, ' ', '', 'from ')}`
    case 'boolean':
      return 'true or false'
    default:
      return schema.type ?? 'different'
  }
}

function describeUnion(branches: readonly JsonSchema[]): string {
  const literals = branches.filter((branch) => branch.const !== undefined)
  if (literals.length === branches.length && literals.length > 1)
    return `one of ${literals.map((branch) => literal(branch.const)).join(', ')}`
  return branches.map(describeExpected).join(' or ')
}

function describeObject({ minProperties, properties }: JsonSchema): string {
  if (!minProperties) return 'an object'
  return `an object with at least ${minProperties} of ${Object.keys(properties ?? {}).join(', ')}`
}

function literal(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** ` of 1 to 25 items`, ` of at most 50 items`, ` from 1 to 100`; nothing without bounds. */
function range(
  least: number | undefined,
  most: number | undefined,
  before: string,
  after: string,
  bothBefore = '',
): string {
  if (least === undefined && most === undefined) return ''
  if (least === undefined) return `${before}at most ${figure(most!)}${after}`
  if (most === undefined) return `${before}at least ${figure(least)}${after}`
  return `${before}${bothBefore}${figure(least)} to ${figure(most)}${after}`
}
