import { parseStrictJson } from '../../foundation/kernel/json.ts'
import type { ToolSchema } from './schemas.ts'

/**
 * Arguments as hosts send them. A host, not the model, fills what is optional, and may send JSON as text. So an argument is read
 * by its schema: a filler for an optional member means that it is left out, and a value in another form of the same meaning is
 * brought to its own. Everything else is kept as it is, for the check of the API: a misspelt member or an invalid value is never
 * left out, because that would widen a search which is charged.
 */
export function readArguments(schema: ToolSchema, sent: unknown): unknown {
  return readValue(schema, sent)
}

/** A message with the arguments of its call as an object, where a host leaves them out, or sends null or JSON as text. */
export function tidyMessage<Message>(message: Message): Message {
  if (!isObject(message) || !isObject(message.params ?? {})) return message
  const { params, ...rest } = message
  // A member that is null stands for one that is missing.
  if (params === null) return rest as Message
  if (message.method !== 'tools/call' || !isObject(params)) return message
  const { arguments: sent, ...others } = params
  const read = isFiller(sent) && !Array.isArray(sent) ? {} : parseJson(sent)
  return { ...message, params: { ...others, arguments: read } }
}

/** What hosts and templates write for nothing. No value of the API is one of them. */
const fillerText = /^(?:null|undefined|none|nil|<nil>|nan|\[\s*\]|\{\s*\})?$/i

/** Whether a value stands for nothing, whichever type the member has; an object, after its own fillers were left out. */
function isFiller(value: unknown): boolean {
  if (value === null || value === undefined) return true
  if (typeof value === 'string') return fillerText.test(value.trim())
  if (Array.isArray(value)) return value.every(isFiller)
  return isObject(value) && Object.keys(value).length === 0
}

/** Whether a value that was read stands for nothing as a member of this schema. */
function isFillerOf(schema: ToolSchema, value: unknown): boolean {
  if (isFiller(value)) return true
  const { type, minimum } = schema
  // The zero of a type: no page has the cursor 0, and no list is to have no rows.
  if (type === 'integer') return value === 0 && typeof minimum === 'number' && minimum > 0
  if (type === 'string') return isCursor(schema) && (value === 0 || value === '0')
  return type === 'boolean' && 'const' in schema && value === false
}

function isCursor({ pattern }: ToolSchema): boolean {
  return typeof pattern === 'string' && pattern.startsWith('^cur_')
}

function readValue(declared: ToolSchema, sent: unknown): unknown {
  const schema = branchOf(declared)
  switch (schema.type) {
    case 'object': {
      const value = parseJson(sent)
      return isObject(value) ? readMembers(schema, value) : value
    }
    case 'array':
      return readList(schema, sent)
    case 'integer':
      return typeof sent === 'string' && /^\s*-?\d{1,15}(?:\.0+)?\s*$/.test(sent) ? Number(sent) : sent
    case 'boolean':
      return typeof sent === 'string' && /^\s*(?:true|false)\s*$/i.test(sent) ? /true/i.test(sent) : sent
    default:
      return sent
  }
}

function readMembers(schema: ToolSchema, sent: Record<string, unknown>): Record<string, unknown> {
  const members = (schema.properties ?? {}) as Record<string, ToolSchema>
  const required = (schema.required ?? []) as readonly string[]
  const read = Object.entries(sent).flatMap(([name, value]) => {
    const member = Object.hasOwn(members, name) ? members[name] : undefined
    // The API says that there is no such member.
    if (!member) return [[name, value] as const]
    const known = readValue(member, value)
    return !required.includes(name) && isFillerOf(branchOf(member), known) ? [] : [[name, known] as const]
  })
  return Object.fromEntries(read)
}

/** A single value is a list of one. */
function readList({ items }: ToolSchema, sent: unknown): unknown {
  const value = parseJson(sent)
  const list = Array.isArray(value) ? value : isFiller(value) || isObject(value) ? value : [value]
  return Array.isArray(list) && isObject(items) ? list.map((item) => readValue(items, item)) : list
}

/** The schema itself, or the one branch of a union that is not null. */
function branchOf(schema: ToolSchema): ToolSchema {
  if (!Array.isArray(schema.anyOf)) return schema
  const others = (schema.anyOf as ToolSchema[]).filter((branch) => branch.type !== 'null')
  return others.length === 1 ? others[0]! : schema
}

/** The list or object that a text has as JSON; else the value itself. */
function parseJson(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  const parsed = parseStrictJson(Buffer.from(value))
  return parsed.ok ? parsed.value : value
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
