import { createHash, type Hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { exportPieceIdentity } from '../../../foundation/encryption/keyring.ts'
import type { Sealer } from '../../../foundation/kernel/seal.ts'
import type { NewPiece, NewPieces } from '../file-queries.ts'
import type { ExportKey } from '../queries.ts'

const compress = promisify(gzip)

/** Small, because a download holds a piece or two in memory for as long as its reader takes. */
const pieceSize = 256 * 1_024

/** Where a file ends so far. */
export interface FileEnd {
  hash: Hash
  bytes: number
  pieces: number
}

export const emptyFile = (): FileEnd => ({ hash: createHash('sha256'), bytes: 0, pieces: 0 })

export interface FileOptions {
  gzip: boolean
  /** Seals the pieces; null leaves them readable. */
  sealer: Sealer | null
}

export interface NewContent extends Omit<NewPieces, 'contactIds'> {
  end: FileEnd
  sha256: Buffer
}

/**
 * Prepares text for the end of a file: compressed as a member of its own, so that the file's bytes depend on nothing but its
 * chunks, cut into pieces, and sealed. The file ends there only once the pieces are stored.
 */
export async function prepareContent(
  { gzip: isCompressed, sealer }: FileOptions,
  key: ExportKey,
  from: FileEnd,
  text: string,
): Promise<NewContent> {
  const plain = isCompressed ? await compress(text) : Buffer.from(text)
  const hash = from.hash.copy().update(plain)
  const pieces: NewPiece[] = []
  const stored: Buffer[] = []
  let storedAt = 0
  for (let start = 0; start < plain.length; start += pieceSize) {
    const number = from.pieces + pieces.length
    const content = plain.subarray(start, start + pieceSize)
    const bytes = sealer ? sealer.seal(content, exportPieceIdentity(key, number)) : content
    pieces.push({ number, startsAt: from.bytes + start, size: content.length, storedAt, storedSize: bytes.length })
    stored.push(bytes)
    storedAt += bytes.length
  }
  return {
    pieces,
    sealed: sealer !== null,
    bytes: sealer ? Buffer.concat(stored) : plain,
    end: { hash, bytes: from.bytes + plain.length, pieces: from.pieces + pieces.length },
    sha256: hash.copy().digest(),
  }
}
