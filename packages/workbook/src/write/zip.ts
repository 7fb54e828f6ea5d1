/**
 * The records of a ZIP archive (APPNOTE 6.3.10) that is written from front to back. Entries are below 4 GB, so that none needs
 * the 64-bit form, which Excel does not take everywhere; only places in the archive can lie beyond it.
 */
import { crc32 } from 'node:zlib'

export interface ZipEntry {
  name: string
  /** Where its local header begins. */
  offset: number
  crc32: number
  packed: number
  unpacked: number
  /** Packed bytes are deflated, and the sizes stand behind them; otherwise the content stands as it is. */
  isStreamed: boolean
}

const signatures = { local: 0x04034b50, descriptor: 0x08074b50, central: 0x02014b50, end: 0x06054b50 } as const
const signatures64 = { end: 0x06064b50, locator: 0x07064b50 } as const
const max16 = 0xffff
const max32 = 0xffffffff
const versions = { deflated: 20, zip64: 45 } as const
/** Bit 3: sizes in a descriptor. Bit 11: the name is UTF-8. */
const flags = { streamed: 0x0808, stored: 0x0800 } as const

/** A date and time as MS-DOS has them, in UTC. */
export function dosTime(time: Date): number {
  if (time.getUTCFullYear() < 1980) return 0x0021_0000
  const date = ((time.getUTCFullYear() - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate()
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1)
  return ((date << 16) | clock) >>> 0
}

/** The header before an entry's content. */
export function entryHeader(entry: ZipEntry, time: number): Buffer {
  const { name, isStreamed } = entry
  const bytes = Buffer.alloc(30 + Buffer.byteLength(name))
  bytes.writeUInt32LE(signatures.local, 0)
  writeCommon(bytes, 4, entry, time)
  // The sizes of a streamed entry are not known yet.
  if (isStreamed) bytes.fill(0, 14, 26)
  bytes.write(name, 30)
  return bytes
}

/** Version, flags, method, time, checksum, sizes and the length of the name: 24 bytes that both headers have. */
function writeCommon(bytes: Buffer, start: number, entry: ZipEntry, time: number): void {
  bytes.writeUInt16LE(versions.deflated, start)
  bytes.writeUInt16LE(entry.isStreamed ? flags.streamed : flags.stored, start + 2)
  bytes.writeUInt16LE(entry.isStreamed ? 8 : 0, start + 4)
  bytes.writeUInt32LE(time, start + 6)
  bytes.writeUInt32LE(entry.crc32, start + 10)
  bytes.writeUInt32LE(entry.packed, start + 14)
  bytes.writeUInt32LE(entry.unpacked, start + 18)
  bytes.writeUInt16LE(Buffer.byteLength(entry.name), start + 22)
}

/** What stands behind the content of a streamed entry. */
export function dataDescriptor({ crc32, packed, unpacked }: ZipEntry): Buffer {
  const bytes = Buffer.alloc(16)
  bytes.writeUInt32LE(signatures.descriptor, 0)
  bytes.writeUInt32LE(crc32, 4)
  bytes.writeUInt32LE(packed, 8)
  bytes.writeUInt32LE(unpacked, 12)
  return bytes
}

/** An entry whose content is known, as it stands in the archive. */
export function storedEntry(
  name: string,
  content: string,
  offset: number,
  time: number,
): { entry: ZipEntry; bytes: Buffer } {
  const plain = Buffer.from(content)
  const entry = {
    ...{ name, offset, crc32: crc32(plain), packed: plain.length, unpacked: plain.length },
    isStreamed: false,
  }
  return { entry, bytes: Buffer.concat([entryHeader(entry, time), plain]) }
}

/** The directory at the end of the archive, which begins at `offset`. */
export function centralDirectory(entries: readonly ZipEntry[], offset: number, time: number): Buffer {
  const headers = Buffer.concat(entries.map((entry) => centralHeader(entry, time)))
  const isLarge = offset + headers.length > max32 || entries.length > max16
  const end = Buffer.alloc(22)
  end.writeUInt32LE(signatures.end, 0)
  end.writeUInt16LE(Math.min(entries.length, max16), 8)
  end.writeUInt16LE(Math.min(entries.length, max16), 10)
  end.writeUInt32LE(Math.min(headers.length, max32), 12)
  end.writeUInt32LE(Math.min(offset, max32), 16)
  return Buffer.concat([headers, ...(isLarge ? [end64(entries.length, headers.length, offset)] : []), end])
}

function centralHeader(entry: ZipEntry, time: number): Buffer {
  const isFar = entry.offset > max32
  const nameLength = Buffer.byteLength(entry.name)
  const bytes = Buffer.alloc(46 + nameLength + (isFar ? 12 : 0))
  bytes.writeUInt32LE(signatures.central, 0)
  bytes.writeUInt16LE(isFar ? versions.zip64 : versions.deflated, 4)
  writeCommon(bytes, 6, entry, time)
  bytes.writeUInt32LE(Math.min(entry.offset, max32), 42)
  bytes.write(entry.name, 46)
  if (isFar) {
    bytes.writeUInt16LE(versions.zip64, 6)
    bytes.writeUInt16LE(12, 30)
    bytes.writeUInt16LE(1, 46 + nameLength)
    bytes.writeUInt16LE(8, 48 + nameLength)
    bytes.writeBigUInt64LE(BigInt(entry.offset), 50 + nameLength)
  }
  return bytes
}

/** The 64-bit form of the directory's end, and the record that finds it. */
function end64(entries: number, length: number, offset: number): Buffer {
  const bytes = Buffer.alloc(56 + 20)
  bytes.writeUInt32LE(signatures64.end, 0)
  bytes.writeBigUInt64LE(44n, 4)
  bytes.writeUInt16LE(versions.zip64, 12)
  bytes.writeUInt16LE(versions.zip64, 14)
  bytes.writeBigUInt64LE(BigInt(entries), 24)
  bytes.writeBigUInt64LE(BigInt(entries), 32)
  bytes.writeBigUInt64LE(BigInt(length), 40)
  bytes.writeBigUInt64LE(BigInt(offset), 48)
  bytes.writeUInt32LE(signatures64.locator, 56)
  bytes.writeBigUInt64LE(BigInt(offset + length), 64)
  bytes.writeUInt32LE(1, 72)
  return bytes
}
