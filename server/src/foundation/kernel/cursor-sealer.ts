import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync } from 'node:crypto'
import type { Mode } from './ids.ts'
import { takeNonce } from './seal.ts'

/** The position at which a search continues, and its owner: everything a page needs to know about earlier pages. */
export interface CursorPayload {
  accountId: number
  mode: Mode
  /** Hash of the endpoint and the normalised query: 32 hexadecimal digits. */
  queryHash: string
  /** The last delivered row. The score is negated, `Infinity` without a score; `contact` is null for store searches. */
  position: { negatedScore: number; storeId: number; contact: number | null }
  rowsWalked: number
  issuedAtMs: number
  /** When the walk began: its first page excludes what was there before, and so do all others. */
  startedAtMs: number
}

/**
 * Converts payloads to opaque text and back. Sealing hides internal ids; opening rejects text that was not sealed here.
 */
export interface CursorSealer {
  seal(payload: CursorPayload): string
  /** Null for text this sealer did not create: forged, altered, or of an earlier format. */
  open(text: string): CursorPayload | null
}

const prefix = 'cur_'
const cipherName = 'aes-256-gcm'
const version = Buffer.from([2])
const nonceLength = 12
const tagLength = 16
const hashLength = 16
const numberCount = 7
const sealedLength = sealedLengthOf(numberCount)
/** Cursors issued before walks had a beginning end with the time of issue; they open until they expire. */
const earlierVersion = Buffer.from([1])
const earlierLength = sealedLengthOf(numberCount - 1)

function sealedLengthOf(numbers: number): number {
  return version.length + nonceLength + 1 + hashLength + numbers * 8 + tagLength
}

/** `secret` is the installation's secret and must not change within a cursor's lifetime. */
export function createCursorSealer(secret: Buffer): CursorSealer {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'storedex cursor 1', 32)))

  function seal(payload: CursorPayload): string {
    const nonce = takeNonce()
    const cipher = createCipheriv(cipherName, key, nonce).setAAD(version)
    const sealed = cipher.update(encodePayload(payload))
    cipher.final()
    return prefix + Buffer.concat([version, nonce, sealed, cipher.getAuthTag()]).toString('base64url')
  }

  function open(text: string): CursorPayload | null {
    if (!text.startsWith(prefix)) return null
    const encoded = text.slice(prefix.length)
    const bytes = Buffer.from(encoded, 'base64url')
    // Decoding ignores foreign characters and spare bits; only the canonical spelling is accepted.
    if (bytes.toString('base64url') !== encoded) return null
    const isCurrent = bytes.length === sealedLength && bytes[0] === version[0]
    if (!isCurrent && !(bytes.length === earlierLength && bytes[0] === earlierVersion[0])) return null
    const nonce = bytes.subarray(version.length, version.length + nonceLength)
    const decipher = createDecipheriv(cipherName, key, nonce, { authTagLength: tagLength })
    decipher.setAAD(isCurrent ? version : earlierVersion)
    decipher.setAuthTag(bytes.subarray(-tagLength))
    const plain = decipher.update(bytes.subarray(version.length + nonceLength, -tagLength))
    try {
      decipher.final()
    } catch {
      return null
    }
    return decodePayload(plain)
  }

  return { seal, open }
}

// Layout: mode, query hash, then seven doubles. A double holds every id exactly, and also infinity and NaN (absent).
function encodePayload(payload: CursorPayload): Buffer {
  const { accountId, mode, queryHash, position, rowsWalked, issuedAtMs, startedAtMs } = payload
  const bytes = Buffer.alloc(doubleAt(numberCount))
  bytes[0] = mode === 'live' ? 0 : 1
  if (bytes.write(queryHash, 1, 'hex') !== hashLength) throw new RangeError('a query hash is 32 hexadecimal digits')
  const contact = position.contact ?? Number.NaN
  const { negatedScore, storeId } = position
  const numbers = [accountId, negatedScore, storeId, contact, rowsWalked, issuedAtMs, startedAtMs]
  for (const [index, number] of numbers.entries()) bytes.writeDoubleBE(number, doubleAt(index))
  return bytes
}

function decodePayload(bytes: Buffer): CursorPayload {
  const numberAt = (index: number) => bytes.readDoubleBE(doubleAt(index))
  const contact = numberAt(3)
  return {
    accountId: numberAt(0),
    mode: bytes[0] === 0 ? 'live' : 'test',
    queryHash: bytes.toString('hex', 1, 1 + hashLength),
    position: { negatedScore: numberAt(1), storeId: numberAt(2), contact: Number.isNaN(contact) ? null : contact },
    rowsWalked: numberAt(4),
    issuedAtMs: numberAt(5),
    startedAtMs: numberAt(bytes.length === doubleAt(numberCount) ? 6 : 5),
  }
}

function doubleAt(index: number): number {
  return 1 + hashLength + index * 8
}
