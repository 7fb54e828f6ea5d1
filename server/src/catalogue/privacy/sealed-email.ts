import { hkdfSync } from 'node:crypto'
import { createSealer, type Sealer } from '../../foundation/kernel/seal.ts'

const identity = 'email of a privacy request'
/** More than the longest accepted address, so that the length of the sealed bytes tells nothing either. */
const paddedBytes = 1_024

/** Seals an email address with a key that only the link contains: the stored row alone tells nothing. */
export function sealEmail(token: string, email: string): Buffer {
  const padded = Buffer.alloc(paddedBytes)
  if (padded.write(email) >= paddedBytes) throw new RangeError('the address is too long')
  return sealerOf(token).seal(padded, identity)
}

export function openSealedEmail(token: string, sealed: Buffer): string {
  const padded = sealerOf(token).open(sealed, identity)
  return padded.toString('utf8', 0, padded.indexOf(0))
}

function sealerOf(token: string): Sealer {
  const secret = Buffer.from(hkdfSync('sha256', token, '', 'storedex privacy request 1', 32))
  return createSealer([{ id: 'link', secret }])
}
