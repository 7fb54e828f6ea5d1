import { composeBytes, formatTime, mostBytesPerCharacter, writeUtf8 } from '@storedex/fast-text'

/** PostgreSQL protocol messages that run a statement the server has parsed. */

type Parameter = string | Buffer | null

/** The parameters in the form of the protocol; null if the driver must convert one of them. */
export function toParameters(values: readonly unknown[]): Parameter[] | null {
  const parameters = new Array<Parameter>(values.length)
  for (let index = 0; index < values.length; index++) {
    const parameter = toParameter(values[index])
    if (parameter === undefined) return null
    parameters[index] = parameter
  }
  return parameters
}

function toParameter(value: unknown): Parameter | undefined {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return value
  if (typeof value !== 'object')
    return typeof value === 'symbol' || typeof value === 'function' ? undefined : `${value}`
  if (Buffer.isBuffer(value)) return value
  if (value instanceof Date) return toTimestamp(value)
  return Array.isArray(value) ? toArray(value) : undefined
}

const latestMs = Date.UTC(9999, 11, 31)

/** PostgreSQL reads JavaScript's format of the years 1970 to 9999; undefined for other dates. */
function toTimestamp(date: Date): string | undefined {
  const ms = date.getTime()
  return ms >= 0 && ms < latestMs ? formatTime(date) : undefined
}

/** `{1,2}` or `{"a","b"}`; undefined for a list with other values than numbers, strings and null. */
function toArray(list: readonly unknown[]): string | undefined {
  let text = '{'
  for (let index = 0; index < list.length; index++) {
    const item = list[index]
    if (index > 0) text += ','
    if (item === null) text += 'NULL'
    else if (typeof item === 'number') text += item
    else if (typeof item === 'string') text += `"${special.test(item) ? item.replace(allSpecial, '\\$&') : item}"`
    else return undefined
  }
  return `${text}}`
}

const special = /["\\]/
const allSpecial = /["\\]/g

const bindCode = 0x42
const executeCode = 0x45
const syncCode = 0x53
/** Code, length, no portal name, no limit of rows. */
const executeLength = 10
/** Code and length. */
const syncLength = 5

/** Bind, Execute and Sync in one buffer. Buffers are sent as binary, other values as text; results are text. */
export function bindAndExecute(statement: string, parameters: readonly Parameter[]): Buffer {
  let most = 1 + 4 + 1 + statement.length * mostBytesPerCharacter + 1 + 2 + 2 + 2 + executeLength + syncLength
  for (const parameter of parameters) {
    most += 2 + 4
    if (typeof parameter === 'string') most += parameter.length * mostBytesPerCharacter
    else if (parameter !== null) most += parameter.length
  }
  return composeBytes(most, (bytes) => writeMessage(bytes, statement, parameters))
}

function writeMessage(bytes: Buffer, statement: string, parameters: readonly Parameter[]): number {
  bytes[0] = bindCode
  bytes[5] = 0
  let at = writeUtf8(bytes, statement, 6)
  bytes[at++] = 0
  at = writeInt16(bytes, parameters.length, at)
  for (const parameter of parameters)
    at = writeInt16(bytes, parameter === null || typeof parameter === 'string' ? 0 : 1, at)
  at = writeInt16(bytes, parameters.length, at)
  for (const parameter of parameters) {
    if (parameter === null) {
      at = writeInt32(bytes, -1, at)
      continue
    }
    const start = at + 4
    const end =
      typeof parameter === 'string' ? writeUtf8(bytes, parameter, start) : start + parameter.copy(bytes, start)
    writeInt32(bytes, end - start, at)
    at = end
  }
  at = writeInt16(bytes, 0, at)
  writeInt32(bytes, at - 1, 1)
  bytes[at++] = executeCode
  at = writeInt32(bytes, executeLength - 1, at)
  bytes[at++] = 0
  at = writeInt32(bytes, 0, at)
  bytes[at++] = syncCode
  return writeInt32(bytes, syncLength - 1, at)
}

function writeInt16(bytes: Buffer, value: number, at: number): number {
  bytes[at] = value >> 8
  bytes[at + 1] = value
  return at + 2
}

function writeInt32(bytes: Buffer, value: number, at: number): number {
  bytes[at] = value >> 24
  bytes[at + 1] = value >> 16
  bytes[at + 2] = value >> 8
  bytes[at + 3] = value
  return at + 4
}
