import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** Proves later that a text was written here. What is signed for one purpose is worth nothing for another. */
export interface Signer {
  /** 43 letters, digits, `-` and `_`. */
  sign(purpose: string, text: string): string
  isSigned(purpose: string, text: string, signature: string): boolean
}

/** `secret` is the installation's own. */
export function createSigner(secret: Buffer): Signer {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'storedex signature 1', 32))
  const sign = (purpose: string, text: string) =>
    createHmac('sha256', key).update(`${purpose}\n${text}`).digest('base64url')
  return {
    sign,
    isSigned(purpose, text, signature) {
      const [expected, given] = [Buffer.from(sign(purpose, text)), Buffer.from(signature)]
      return expected.length === given.length && timingSafeEqual(expected, given)
    },
  }
}
