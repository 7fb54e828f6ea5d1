/**
 * The part of the tar format (POSIX ustar) that a backup needs: regular files with short names, without an owner. Any `tar`
 * lists and unpacks the result.
 */
const blockBytes = 512
const maxNameBytes = 100

export interface TarEntry {
  name: string
  bytes: number
}

export const tarBlockBytes = blockBytes
/** Two blocks of zeros end an archive. */
export const tarEnd = Buffer.alloc(2 * blockBytes)

export function createTarHeader({ name, bytes }: TarEntry, modifiedAt: Date): Buffer {
  if (Buffer.byteLength(name) > maxNameBytes) throw new RangeError(`${name} is too long for a tar header`)
  const header = Buffer.alloc(blockBytes)
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
  header.write(name, 0)
  header.write(octal(0o600, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  header.write(octal(bytes, 11), 124)
  header.write(octal(Math.floor(modifiedAt.getTime() / 1_000), 11), 136)
  header.write('0', 156)
  header.write('ustar\x0000', 257, 'latin1')
  header.write(`${checksumOf(header).toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

/** The entry that a header describes; null for a block of zeros, and undefined for anything else. */
export function parseTarHeader(header: Buffer): TarEntry | null | undefined {
  if (header.every((byte) => byte === 0)) return null
  const text = (from: number, to: number) => header.toString('latin1', from, to).replace(/[\0 ].*$/s, '')
  const isFile = header[156] === 0x30 && text(257, 263) === 'ustar'
  const [bytes, checksum] = [text(124, 136), text(148, 156)]
  if (!isFile || !/^[0-7]+$/.test(bytes) || parseInt(checksum, 8) !== checksumOf(header)) return undefined
  return { name: text(0, maxNameBytes), bytes: parseInt(bytes, 8) }
}

/** How many zeros follow a file's content. */
export function tarPaddingOf(bytes: number): number {
  return (blockBytes - (bytes % blockBytes)) % blockBytes
}

/** The sum of all bytes, with the checksum's own field counted as spaces. */
function checksumOf(header: Buffer): number {
  let sum = 0
  for (let at = 0; at < blockBytes; at++) sum += at >= 148 && at < 156 ? 0x20 : header[at]!
  return sum
}
