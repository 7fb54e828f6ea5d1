import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import {
  type CatalogueSnapshot,
  decodeSnapshot,
  decodeSnapshotHeader,
  encodeSnapshot,
  SnapshotError,
} from '@storedex/search-index'
import { prepareDataDir } from '../../foundation/db/embedded.ts'
import type { Mode } from '../../foundation/kernel/ids.ts'
import { systemClock } from '../../foundation/kernel/time.ts'

interface FileInfo {
  bytes: number
  /** Milliseconds since 1970. */
  writtenAt: number
}

type SnapshotFileInfo = FileInfo & Pick<CatalogueSnapshot, 'batch' | 'historyId'>

/** A single read is limited to 2 GiB. */
const partBytes = 2 ** 30
/** Enough for the header, whose length grows with the number of segments. */
const headerBytes = 2 ** 18
/**
 * A temporary file unchanged for this long was left by a process that died. It may contain contacts erased since, and repeated
 * crashes must not fill the disk. If its writer was only slow, the file being written now replaces it.
 */
const abandonedMs = 10_000

/** Null if there is no file. Throws a `SnapshotError` for anything that is not a usable snapshot. */
export async function readSnapshotFile(
  path: string,
): Promise<(FileInfo & { snapshot: CatalogueSnapshot<Mode> }) | null> {
  try {
    const file = await openExisting(path)
    if (!file) return null
    try {
      // Check the header first: any other file may be larger than memory.
      const { bytes, writtenAt } = await readInfo(file)
      const content = new ArrayBuffer(bytes)
      await fill(file, new Uint8Array(content))
      return { snapshot: decodeSnapshot<Mode>(content), bytes, writtenAt }
    } finally {
      await file.close()
    }
  } catch (cause) {
    throw cause instanceof SnapshotError ? cause : new SnapshotError((cause as Error).message, { cause })
  }
}

/** The file's batch, size and date; null if there is no usable file. */
export async function readSnapshotFileInfo(path: string): Promise<SnapshotFileInfo | null> {
  const file = await openExisting(path)
  if (!file) return null
  try {
    return await readInfo(file)
  } catch {
    return null
  } finally {
    await file.close()
  }
}

async function readInfo(file: FileHandle): Promise<SnapshotFileInfo> {
  const info = await file.stat()
  if (!info.isFile()) throw new SnapshotError('it is not a file')
  const start = new Uint8Array(Math.min(info.size, headerBytes))
  await fill(file, start)
  const header = decodeSnapshotHeader(start.buffer)
  if (header.bytes !== info.size) throw new SnapshotError('it is incomplete')
  return { ...header, writtenAt: info.mtimeMs }
}

/**
 * Writes a temporary file and renames it, so the older file stays until the new one is complete. Only the owner can read it.
 * Returns its size in bytes.
 */
export async function writeSnapshotFile(
  path: string,
  snapshot: CatalogueSnapshot<Mode>,
  stopped: AbortSignal,
): Promise<number> {
  const folder = dirname(path)
  prepareDataDir(dirname(folder))
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await removeAbandoned(folder, basename(path))
  const aside = `${path}.${randomBytes(6).toString('hex')}.aside`
  try {
    const file = await open(aside, 'wx', 0o600)
    let bytes = 0
    try {
      for (const piece of encodeSnapshot(snapshot)) {
        stopped.throwIfAborted()
        for (let at = 0; at < piece.length; ) at += (await file.write(piece, at)).bytesWritten
        bytes += piece.length
      }
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(aside, path)
    return bytes
  } catch (error) {
    await rm(aside, { force: true })
    throw error
  }
}

export function removeSnapshotFile(path: string): Promise<void> {
  return rm(path, { force: true })
}

async function openExisting(path: string) {
  try {
    return await open(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

async function fill(file: FileHandle, into: Uint8Array): Promise<void> {
  for (let at = 0; at < into.length; ) {
    const { bytesRead } = await file.read(into, at, Math.min(partBytes, into.length - at), at)
    // Truncated by another process: the missing bytes stay zero and fail the checksum.
    if (bytesRead === 0) return
    at += bytesRead
  }
}

/** Other processes may be writing, so only files without recent changes are removed. */
async function removeAbandoned(folder: string, name: string): Promise<void> {
  for (const entry of await readdir(folder)) {
    if (!entry.startsWith(`${name}.`) || !entry.endsWith('.aside')) continue
    const path = join(folder, entry)
    // abs: a clock that was ahead leaves files dated in the future.
    const age = await stat(path).then(
      ({ mtimeMs }) => Math.abs(systemClock.now().getTime() - mtimeMs),
      () => 0,
    )
    if (age > abandonedMs) await rm(path, { force: true })
  }
}
