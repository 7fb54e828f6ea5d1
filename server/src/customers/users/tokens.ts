import { createHash, randomBytes } from 'node:crypto'

/** 32 random bytes for a cookie or a link: 43 letters, digits, `-` and `_`. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** The stored form of a token. An unsalted hash is enough: 256 random bits cannot be guessed or precomputed. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
