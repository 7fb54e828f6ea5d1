/**
 * Text that was decoded in another encoding than it was written in: U+FFFD stands for what could not be decoded, and the
 * control characters U+0080 to U+009F are in no text, but what another encoding makes of quotes and dashes.
 */
import { badValue, type Fault } from '../fields/faults.ts'

const lost = /[\u0080-\u009f\ufffd]/

export const wronglyDecoded = 'was decoded wrongly'

export function isLostText(text: string): boolean {
  return lost.test(text)
}

const escaped = Buffer.from('\\u')
const replacement = Buffer.from('\ufffd')
const controlLead = 0xc2

/** Whether the bytes of a JSON text can have such characters, as they are or escaped. */
export function mayHaveLostText(bytes: Buffer): boolean {
  if (bytes.includes(escaped) || bytes.includes(replacement)) return true
  for (let at = bytes.indexOf(controlLead); at !== -1; at = bytes.indexOf(controlLead, at + 1))
    if (bytes[at + 1]! < 0xa0) return true
  return false
}

/**
 * Takes such texts out of a record and returns their faults. A status stays, and is refused as an unknown one: without it,
 * its address would be free to use.
 */
export function takeLostText(value: unknown, path = ''): Fault[] {
  if (typeof value !== 'object' || value === null) return []
  const container = value as Record<string | number, unknown>
  const faults: Fault[] = []
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
  for (const key of keys) {
    const child = container[key]
    const childPath = typeof key === 'number' ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`
    if (typeof child === 'string' && key !== 'status' && isLostText(child)) {
      faults.push(badValue(childPath, child, wronglyDecoded))
      delete container[key]
    } else faults.push(...takeLostText(child, childPath))
  }
  return faults
}
