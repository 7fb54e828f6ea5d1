/** The subset of JSON Schema that every host of assistants passes on to its model. */
import type { Json } from '../../../support/client.ts'

const allowed: Record<string, readonly string[]> = {
  object: ['properties', 'required'],
  array: ['items'],
  string: ['enum'],
  integer: [],
  number: [],
  boolean: [],
}

/** What hosts could refuse in the schema of a tool, by path. */
export function faultsOfPublished(schema: Json, path = 'schema'): string[] {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return [`${path} is no schema`]
  const { type, description, properties = {}, required, items } = schema
  if (typeof type !== 'string' || !Object.hasOwn(allowed, type)) return [`${path} has the type ${JSON.stringify(type)}`]
  const faults = Object.keys(schema)
    .filter((keyword) => !['type', 'description', ...allowed[type]!].includes(keyword))
    .map((keyword) => `${path} has ${keyword}`)
  if (description !== undefined && typeof description !== 'string') faults.push(`${path} has no text as description`)
  if (
    schema.enum &&
    !(schema.enum.length > 0 && schema.enum.every((value: Json) => typeof value === 'string' && value !== ''))
  )
    faults.push(`${path} enumerates other than texts`)
  if (required && !(required.length > 0 && required.every((name: string) => Object.hasOwn(properties, name))))
    faults.push(`${path} requires what it does not have`)
  if (type === 'array') faults.push(...faultsOfPublished(items, `${path}[]`))
  for (const [name, member] of Object.entries(properties)) faults.push(...faultsOfPublished(member, `${path}.${name}`))
  return faults
}
