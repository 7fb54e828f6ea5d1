/** Writes zip archives for tests, right ones and wrong ones. Independent of the code that is tested with them. */
import { crc32, deflateRawSync } from 'node:zlib'

/** One entry. What is not given is as it should be; everything else can be a lie. */
export interface TestZipEntry {
  name: string
  content: string | Uint8Array
  stored?: boolean
  /** The content is compressed already. */
  isRaw?: boolean
  /** As the headers have them. */
  sizeBytes?: number
  crc?: number
  flags?: number
  method?: number
  /** Where the central directory says that the entry begins: the beginning of the one with this index. */
  sharesPlaceOf?: number
}

const zip64Limit = 0xffff_ffff

/** The whole archive in memory. Sizes of 4 GB and more are written as zip64. */
export function buildZip(entries: readonly TestZipEntry[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  const offsets: number[] = []
  let offset = 0
  for (const entry of entries) {
    const header = headerOf(entry)
    const local = localHeader(header)
    offsets.push(offset)
    directory.push(directoryHeader(header, entry.sharesPlaceOf === undefined ? offset : offsets[entry.sharesPlaceOf]!))
    parts.push(local, header.packed)
    offset += local.length + header.packed.length
  }
  const central = Buffer.concat(directory)
  return Buffer.concat([...parts, central, directoryEnd(entries.length, central.length, offset)])
}

export interface ZipHeader {
  name: Buffer
  flags: number
  method: number
  crc: number
  sizeBytes: number
  packedBytes: number
}

function headerOf(entry: TestZipEntry): ZipHeader & { packed: Buffer } {
  const content = Buffer.from(entry.content as Uint8Array)
  const method = entry.method ?? (entry.stored ? 0 : 8)
  const packed = entry.isRaw || method === 0 ? content : deflateRawSync(content)
  return {
    name: Buffer.from(entry.name),
    // The name is UTF-8.
    flags: entry.flags ?? 0x800,
    method,
    crc: entry.crc ?? crc32(content),
    sizeBytes: entry.sizeBytes ?? content.length,
    packedBytes: packed.length,
    packed,
  }
}

export function localHeader(header: ZipHeader): Buffer {
  const { name, sizeBytes, packedBytes } = header
  const isLarge = sizeBytes >= zip64Limit
  const extra = isLarge ? zip64Extra([sizeBytes, packedBytes]) : Buffer.alloc(0)
  const fields = Buffer.alloc(30)
  fields.writeUInt32LE(0x04034b50, 0)
  writeCommonFields(fields, 4, header, isLarge ? zip64Limit : packedBytes, extra)
  return Buffer.concat([fields, name, extra])
}

export function directoryHeader(header: ZipHeader, offset: number): Buffer {
  const { name, sizeBytes, packedBytes } = header
  const extra = sizeBytes < zip64Limit ? Buffer.alloc(0) : zip64Extra([sizeBytes])
  const fields = Buffer.alloc(46)
  fields.writeUInt32LE(0x02014b50, 0)
  fields.writeUInt16LE(20, 4)
  writeCommonFields(fields, 6, header, packedBytes, extra)
  fields.writeUInt32LE(offset, 42)
  return Buffer.concat([fields, name, extra])
}

/** From the version that is needed to the length of the extra field, as both headers have them. */
function writeCommonFields(
  fields: Buffer,
  at: number,
  { name, flags, method, crc, sizeBytes }: ZipHeader,
  packedBytes: number,
  extra: Buffer,
): void {
  fields.writeUInt16LE(extra.length > 0 ? 45 : 20, at)
  fields.writeUInt16LE(flags, at + 2)
  fields.writeUInt16LE(method, at + 4)
  fields.writeUInt16LE(0x5b81, at + 8)
  fields.writeUInt32LE(crc, at + 10)
  fields.writeUInt32LE(packedBytes, at + 14)
  fields.writeUInt32LE(Math.min(sizeBytes, zip64Limit), at + 18)
  fields.writeUInt16LE(name.length, at + 22)
  fields.writeUInt16LE(extra.length, at + 24)
}

function zip64Extra(sizes: readonly number[]): Buffer {
  const extra = Buffer.alloc(4 + 8 * sizes.length)
  extra.writeUInt16LE(1, 0)
  extra.writeUInt16LE(8 * sizes.length, 2)
  for (const [index, size] of sizes.entries()) extra.writeBigUInt64LE(BigInt(size), 4 + 8 * index)
  return extra
}

export function directoryEnd(entries: number, directoryBytes: number, offset: number): Buffer {
  const end = Buffer.alloc(22)
  // More entries than the field can count are written as a zip64 record.
  const count = Math.min(entries, 0xffff)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(directoryBytes, 12)
  end.writeUInt32LE(offset, 16)
  return entries < 0xffff ? end : Buffer.concat([zip64End(entries, directoryBytes, offset), end])
}

function zip64End(entries: number, directoryBytes: number, offset: number): Buffer {
  const record = Buffer.alloc(76)
  record.writeUInt32LE(0x06064b50, 0)
  record.writeBigUInt64LE(44n, 4)
  record.writeUInt16LE(45, 12)
  record.writeUInt16LE(45, 14)
  record.writeBigUInt64LE(BigInt(entries), 24)
  record.writeBigUInt64LE(BigInt(entries), 32)
  record.writeBigUInt64LE(BigInt(directoryBytes), 40)
  record.writeBigUInt64LE(BigInt(offset), 48)
  // The locator, which says where the record is.
  record.writeUInt32LE(0x07064b50, 56)
  record.writeBigUInt64LE(BigInt(offset + directoryBytes), 64)
  record.writeUInt32LE(1, 72)
  return record
}
