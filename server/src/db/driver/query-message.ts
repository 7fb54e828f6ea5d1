/** Messages of PostgreSQL's protocol with which a statement that the server has parsed is run. */

type Parameter = string | Buffer | null

/** The parameters as they are sent; null when the driver has to convert one. */
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

/** PostgreSQL reads what JavaScript writes for the years 0 to 9999. */
function toTimestamp(date: Date): string | undefined {
  const ms = date.getTime()
  return ms >= 0 && ms < latestMs ? date.toISOString() : undefined
}

/** `{1,2}` or `{"a","b"}`; undefined for a list with anything but numbers, strings and null. */
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
/** Code, length, no portal name, no limit of rows; then code and length of Sync. */
const executeLength = 10
const syncLength = 5

/** Bind, Execute and Sync as one message. Values are texts, buffers bytes; the reply has texts. */
export function bindAndExecute(statement: string, parameters: readonly Parameter[]): Buffer {
  const count = parameters.length
  const sizes = new Array<number>(count)
  let size = 1 + 4 + 1 + Buffer.byteLength(statement) + 1 + 2 + count * 2 + 2 + 2
  for (let index = 0; index < count; index++) {
    const parameter = parameters[index]!
    sizes[index] =
      parameter === null ? -1 : typeof parameter === 'string' ? Buffer.byteLength(parameter) : parameter.length
    size += 4 + Math.max(0, sizes[index]!)
  }
  const message = Buffer.allocUnsafe(size + executeLength + syncLength)
  let at = message.writeUInt8(bindCode, 0)
  at = message.writeInt32BE(size - 1, at)
  at = message.writeUInt8(0, at)
  at += message.write(statement, at)
  at = message.writeUInt8(0, at)
  at = message.writeUInt16BE(count, at)
  for (const parameter of parameters)
    at = message.writeInt16BE(parameter === null || typeof parameter === 'string' ? 0 : 1, at)
  at = message.writeUInt16BE(count, at)
  for (let index = 0; index < count; index++) {
    const parameter = parameters[index]!
    at = message.writeInt32BE(sizes[index]!, at)
    if (typeof parameter === 'string') at += message.write(parameter, at)
    else if (parameter !== null) at += parameter.copy(message, at)
  }
  at = message.writeInt16BE(0, at)
  at = message.writeUInt8(executeCode, at)
  at = message.writeInt32BE(9, at)
  at = message.writeUInt8(0, at)
  at = message.writeInt32BE(0, at)
  at = message.writeUInt8(syncCode, at)
  message.writeInt32BE(4, at)
  return message
}
