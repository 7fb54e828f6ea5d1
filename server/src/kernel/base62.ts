import { randomBytes } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

// The largest multiple of 62 that fits in a byte. Bytes from there on are discarded; otherwise the first characters
// would be more likely.
const unbiasedLimit = 248

/** Random letters and digits from a secure source, each equally likely. */
export function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < unbiasedLimit) text += alphabet[byte % 62]
    }
  }
  return text
}

/** An integer in base 62, most significant digit first, padded with zeros to `width`. */
export function encodeBase62(value: number, width: number): string {
  let text = ''
  for (let rest = value; text.length < width; rest = Math.floor(rest / 62)) text = alphabet[rest % 62] + text
  return text
}
