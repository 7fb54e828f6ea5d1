import { createHmac, hash, hkdfSync, timingSafeEqual } from 'node:crypto'

/** Signs texts and verifies signatures. A signature is valid for one purpose only. */
export interface Signer {
  /** 43 letters, digits, `-` and `_`. */
  sign(purpose: string, text: string): string
  verify(purpose: string, text: string, signature: string): boolean
}

/** `secret` is the installation's secret. */
export function createSigner(secret: Buffer): Signer {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'storedex signature 1', 32))
  const sign = (purpose: string, text: string) =>
    createHmac('sha256', key).update(`${purpose}\n${text}`).digest('base64url')
  return {
    sign,
    verify(purpose, text, signature) {
      const [expected, given] = [Buffer.from(sign(purpose, text)), Buffer.from(signature)]
      return expected.length === given.length && timingSafeEqual(expected, given)
    },
  }
}

const algorithm = 'sha256'
const blockBytes = 64
const digestBytes = 32

/**
 * HMAC-SHA-256 of texts with a 32-byte key, as strings with one character per byte. Node's own HMAC creates an object
 * per call and costs twice as much; a Buffer result costs half as much again. An import needs some hundred thousand per
 * second.
 */
export function createTextHmac(key: Buffer): (text: string) => string {
  const padded = Buffer.concat([key], blockBytes)
  const outer = Buffer.alloc(blockBytes + digestBytes)
  let inner = Buffer.alloc(blockBytes + 1_024)
  for (const [index, byte] of padded.entries()) {
    inner[index] = byte ^ 0x36
    outer[index] = byte ^ 0x5c
  }
  return (text) => {
    // A UTF-16 code unit takes at most three bytes.
    const mostBytes = blockBytes + text.length * 3
    if (mostBytes > inner.length) inner = Buffer.concat([inner.subarray(0, blockBytes)], mostBytes)
    const bytes = inner.write(text, blockBytes)
    outer.write(hash(algorithm, inner.subarray(0, blockBytes + bytes), 'binary'), blockBytes, 'binary')
    return hash(algorithm, outer, 'binary')
  }
}
