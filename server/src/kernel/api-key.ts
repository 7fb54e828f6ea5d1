import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { encodeBase62, randomBase62 } from './base62.ts'
import type { Mode } from './ids.ts'

const randomLength = 32
const checksumLength = 6
const shape = /^sdx_(live|test)_[0-9A-Za-z]{38}$/

/** `sdx_<mode>_`, 32 random characters, and a checksum of all that, so that a mistyped key is refused unread. */
export function newApiKey(mode: Mode): string {
  const body = `sdx_${mode}_${randomBase62(randomLength)}`
  return body + checksumOf(body)
}

/** The mode a well-formed key is for; null when its shape or its checksum is wrong. Says nothing of its existence. */
export function parseApiKey(text: string): { mode: Mode } | null {
  const mode = shape.exec(text)?.[1]
  if (mode !== 'live' && mode !== 'test') return null
  return checksumOf(text.slice(0, -checksumLength)) === text.slice(-checksumLength) ? { mode } : null
}

/** What is stored in a key's place. A bare hash is enough: 190 random bits cannot be guessed or tabulated. */
export function hashApiKey(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** What may be shown of a key once it was handed over: four characters at either end, the prefix left out. */
export function displayedParts(text: string): { first: string; last: string } {
  const secret = text.slice(-(randomLength + checksumLength))
  return { first: secret.slice(0, 4), last: secret.slice(-4) }
}

function checksumOf(body: string): string {
  return encodeBase62(crc32(body), checksumLength)
}
