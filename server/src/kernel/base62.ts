import { randomBytes } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

// The largest multiple of 62 within a byte: a byte at or above it is thrown away, or the first letters would be likelier.
const fairBelow = 248

/** Letters and digits from the system's random source, each equally likely. */
export function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < fairBelow) text += alphabet[byte % 62]
    }
  }
  return text
}

/** A whole number in base 62, most significant digit first, padded with zeros to `width`. */
export function encodeBase62(value: number, width: number): string {
  let text = ''
  for (let rest = value; text.length < width; rest = Math.floor(rest / 62)) text = alphabet[rest % 62] + text
  return text
}
