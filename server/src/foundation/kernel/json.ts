import { isUtf8 } from 'node:buffer'

type StrictJson =
  | { ok: true; value: unknown }
  | { ok: false; reason: 'invalid_utf8' | 'syntax' | 'too_deep' | 'duplicate_key' }

/** Our documents nest at most a quarter as deep; recursive code is safe below this. */
const maxDepth = 64

const quote = 0x22
const backslash = 0x5c
const colon = 0x3a

/**
 * The value of a text that is strict JSON, or undefined for one that may not be: then the whole check tells why. Quicker for a
 * short text than to check first and parse later.
 */
export function parseShortJson(bytes: Buffer, maxDepth: number): unknown {
  if (!isUtf8(bytes)) return undefined
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
  const { depth, keys } = measureText(bytes)
  return depth <= maxDepth && keys === countKeys(value) ? value : undefined
}

/**
 * Parses a body as strict JSON: valid UTF-8, no byte order mark, no key twice in one object (spelt with escapes or
 * not), at most 64 levels. Linear in the body's size, without recursion.
 */
export function parseStrictJson(bytes: Buffer): StrictJson {
  if (!isUtf8(bytes)) return { ok: false, reason: 'invalid_utf8' }
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    return { ok: false, reason: 'syntax' }
  }
  const { depth, keys } = measureText(bytes)
  if (depth > maxDepth) return { ok: false, reason: 'too_deep' }
  // JSON.parse keeps one of two equal keys, so the text then has more keys than the value.
  if (keys !== countKeys(value)) return { ok: false, reason: 'duplicate_key' }
  return { ok: true, value }
}

interface JsonBounds {
  maxDepth: number
  /** Commas, colons and brackets outside of strings, together. */
  maxMarks: number
}

/**
 * The bound that a text exceeds, valid JSON or not. One pass that ends at the first excess, so that the cost of parsing
 * is bounded in advance.
 */
export function exceededJsonBound(bytes: Buffer, { maxDepth, maxMarks }: JsonBounds): keyof JsonBounds | null {
  let level = 0
  let marks = 0
  let inString = false
  for (let i = 0; i < bytes.length; i++) {
    const kind = kindOf[bytes[i]!]!
    if (kind === kinds.plain) continue
    if (kind === kinds.quote) inString = !inString
    else if (kind === kinds.backslash) i += inString ? 1 : 0
    else if (!inString) {
      if (++marks > maxMarks) return 'maxMarks'
      if (kind === kinds.open && ++level > maxDepth) return 'maxDepth'
      if (kind === kinds.close) level--
    }
  }
  return null
}

const kinds = { plain: 0, quote: 1, backslash: 2, open: 3, close: 4, separator: 5 }

const kindOf = new Uint8Array(256)
kindOf[quote] = kinds.quote
kindOf[backslash] = kinds.backslash
for (const bracket of '[{') kindOf[bracket.charCodeAt(0)] = kinds.open
for (const bracket of ']}') kindOf[bracket.charCodeAt(0)] = kinds.close
for (const separator of ',:') kindOf[separator.charCodeAt(0)] = kinds.separator

/** Maximum nesting and number of keys of a text known to be valid: a colon outside a string follows each key. */
function measureText(bytes: Buffer): { depth: number; keys: number } {
  let level = 0
  let depth = 0
  let keys = 0
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!
    if (byte === quote) i = closingQuote(bytes, i)
    else if (byte === colon) keys++
    // [ { and ] } differ in one bit each: 0x5b 0x7b, 0x5d 0x7d.
    else if ((byte | 0x20) === 0x7b) depth = Math.max(depth, ++level)
    else if ((byte | 0x20) === 0x7d) level--
  }
  return { depth, keys }
}

function closingQuote(bytes: Buffer, openingQuote: number): number {
  let i = openingQuote + 1
  while (bytes[i] !== quote) i += bytes[i] === backslash ? 2 : 1
  return i
}

function countKeys(value: unknown): number {
  let keys = 0
  const pending = [value]
  while (pending.length > 0) {
    const next = pending.pop()
    if (typeof next !== 'object' || next === null) continue
    const children: unknown[] = Array.isArray(next) ? next : Object.values(next)
    if (!Array.isArray(next)) keys += children.length
    for (const child of children) if (typeof child === 'object') pending.push(child)
  }
  return keys
}
