import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Mode } from './ids.ts'

const randomLength = 32
const checksumLength = 6
const shape = /^sdx_(live|test)_[0-9A-Za-z]{38}$/

/** `sdx_<mode>_`, 32 random characters and a checksum, so that a mistyped key is rejected without a query. */
export function newApiKey(mode: Mode): string {
  const body = `sdx_${mode}_${randomBase62(randomLength)}`
  return body + checksumOf(body)
}

/** The mode of a well-formed key; null when its shape or checksum is wrong. Does not check whether the key exists. */
export function parseApiKey(text: string): { mode: Mode } | null {
  const mode = shape.exec(text)?.[1]
  if (mode !== 'live' && mode !== 'test') return null
  return checksumOf(text.slice(0, -checksumLength)) === text.slice(-checksumLength) ? { mode } : null
}

/** The stored form of a key. An unsalted hash is enough: 190 random bits cannot be guessed or precomputed. */
export function hashApiKey(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

/** The parts of a key that may be shown after its creation: the first and last four characters without the prefix. */
export function displayedParts(text: string): { first: string; last: string } {
  const secret = text.slice(-(randomLength + checksumLength))
  return { first: secret.slice(0, 4), last: secret.slice(-4) }
}

/** The known part of a key: up to four first characters of its secret, and the last four or none. */
export interface KeyPart {
  mode: Mode | null
  first: string
  last: string
}

// A secret, its beginning, or both ends with dots or stars between them.
const partShape = /^(?:sdx_(live|test)_)?([0-9A-Za-z]{1,38})(?:(?:…|\.{2,}|\*+)([0-9A-Za-z]{4})?)?$/

/** Reads a pasted part of a key; null when it cannot be one. */
export function parseKeyPart(text: string): KeyPart | null {
  const [, mode, secret, last] = partShape.exec(text.trim()) ?? []
  if (secret === undefined) return null
  const isWhole = secret.length === randomLength + checksumLength
  return {
    mode: mode === 'live' || mode === 'test' ? mode : null,
    first: secret.slice(0, 4),
    last: last ?? (isWhole ? secret.slice(-4) : ''),
  }
}

function checksumOf(body: string): string {
  return encodeBase62(crc32(body), checksumLength)
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

// The largest multiple of 62 that fits in a byte. Bytes from there on are discarded; otherwise the first characters
// would be more likely.
const unbiasedLimit = 248

/** Random letters and digits from a secure source, each equally likely. */
function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < unbiasedLimit) text += alphabet[byte % 62]
    }
  }
  return text
}

const drawnAtOnce = 4_096
let drawn = Buffer.alloc(0)
let used = 0

/**
 * The same for text that is no secret, such as an id in every reply: drawn in blocks, because a few random bytes cost as much
 * as many.
 */
export function randomIdBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    if (used === drawn.length) {
      drawn = randomBytes(drawnAtOnce)
      used = 0
    }
    const byte = drawn[used++]!
    if (byte < unbiasedLimit) text += alphabet[byte % 62]
  }
  return text
}

/** An integer in base 62, most significant digit first, padded with zeros to `width`. */
function encodeBase62(value: number, width: number): string {
  let text = ''
  for (let rest = value; text.length < width; rest = Math.floor(rest / 62)) text = alphabet[rest % 62] + text
  return text
}
