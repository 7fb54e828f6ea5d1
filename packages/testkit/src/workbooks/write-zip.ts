/** Writes an archive to a file piece by piece, for workbooks that are larger than memory. */
import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { constants, crc32, createDeflateRaw } from 'node:zlib'
import { directoryEnd, directoryHeader, localHeader, type ZipHeader } from './zip.ts'

export interface ZipPiece {
  name: string
  /** Less than 4 GB together. */
  chunks: Iterable<string | Uint8Array>
}

/** As Excel writes: entries in the given order, each deflated, with its sizes behind it. */
export async function writeZip(file: string, entries: Iterable<ZipPiece>): Promise<void> {
  const out = createWriteStream(file)
  const opened = once(out, 'open')
  let offset = 0
  const directory: Buffer[] = []
  await opened
  for (const { name, chunks } of entries) {
    const header: ZipHeader = { name: Buffer.from(name), flags: 0x808, method: 8, crc: 0, sizeBytes: 0, packedBytes: 0 }
    const local = localHeader(header)
    await writeTo(out, local)
    await deflateInto(out, chunks, header)
    await writeTo(out, descriptorOf(header))
    directory.push(directoryHeader(header, offset))
    offset += local.length + header.packedBytes + 16
  }
  const central = Buffer.concat(directory)
  await writeTo(out, Buffer.concat([central, directoryEnd(directory.length, central.length, offset)]))
  out.end()
  await once(out, 'close')
}

async function deflateInto(out: WriteStream, chunks: ZipPiece['chunks'], header: ZipHeader): Promise<void> {
  const deflate = createDeflateRaw({ level: constants.Z_BEST_SPEED, chunkSize: 1 << 17 })
  const written = (async () => {
    for await (const packed of deflate as AsyncIterable<Buffer>) {
      header.packedBytes += packed.length
      await writeTo(out, packed)
    }
  })()
  for (const chunk of chunks) {
    const bytes = Buffer.from(chunk as Uint8Array)
    header.crc = crc32(bytes, header.crc)
    header.sizeBytes += bytes.length
    if (!deflate.write(bytes)) await once(deflate, 'drain')
  }
  deflate.end()
  await written
}

async function writeTo(out: WriteStream, bytes: Buffer): Promise<void> {
  if (!out.write(bytes)) await once(out, 'drain')
}

function descriptorOf({ crc, sizeBytes, packedBytes }: ZipHeader): Buffer {
  const descriptor = Buffer.alloc(16)
  descriptor.writeUInt32LE(0x08074b50, 0)
  descriptor.writeUInt32LE(crc, 4)
  descriptor.writeUInt32LE(packedBytes, 8)
  descriptor.writeUInt32LE(sizeBytes, 12)
  return descriptor
}
