import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { encodeBase62, randomBase62 } from './base62.ts'
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
  return createHash('sha256').update(text).digest()
}

/** The parts of a key that may be shown after its creation: the first and last four characters without the prefix. */
export function displayedParts(text: string): { first: string; last: string } {
  const secret = text.slice(-(randomLength + checksumLength))
  return { first: secret.slice(0, 4), last: secret.slice(-4) }
}

function checksumOf(body: string): string {
  return encodeBase62(crc32(body), checksumLength)
}
