import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import {
  type CatalogueSnapshot,
  decodeSnapshot,
  encodeSnapshot,
  decodeSnapshotHeader,
  SnapshotError,
} from '@storedex/search-index'
import { ensureDataDir } from '../../db/embedded.ts'
import type { Mode } from '../../kernel/ids.ts'

interface FileFacts {
  bytes: number
  /** Milliseconds since 1970. */
  writtenAt: number
}

type SnapshotFacts = FileFacts & Pick<CatalogueSnapshot, 'batch' | 'mark'>

/** More than one read can take at once is read in parts. */
const partBytes = 2 ** 30
/** Room for the header, whose length grows with the number of segments. */
const peekBytes = 2 ** 18
/**
 * What is not written to for so long was left by a process that died. It may tell of people who are erased by now, and a
 * service that dies again and again must not fill the disk; should somebody have been slow, there is the file that is
 * being written now.
 */
const abandonedMs = 10_000

/** Null where there is none. Throws a `SnapshotProblem` for one that cannot be used, whatever lies there. */
export async function readSnapshotFile(
  path: string,
): Promise<(FileFacts & { snapshot: CatalogueSnapshot<Mode> }) | null> {
  try {
    const file = await openExisting(path)
    if (!file) return null
    try {
      // What is no snapshot may be larger than any memory.
      const { bytes, writtenAt } = await peek(file)
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

/** Which batch the file is of; null where there is none of use. */
export async function readSnapshotFileInfo(path: string): Promise<SnapshotFacts | null> {
  const file = await openExisting(path)
  if (!file) return null
  try {
    return await peek(file)
  } catch {
    return null
  } finally {
    await file.close()
  }
}

async function peek(file: FileHandle): Promise<SnapshotFacts> {
  const facts = await file.stat()
  if (!facts.isFile()) throw new SnapshotError('it is no file')
  const start = new Uint8Array(Math.min(facts.size, peekBytes))
  await fill(file, start)
  const peeked = decodeSnapshotHeader(start.buffer)
  if (peeked.bytes !== facts.size) throw new SnapshotError('it is not whole')
  return { ...peeked, writtenAt: facts.mtimeMs }
}

/**
 * Writes aside, then puts the file in place of an older one; readable by its owner only. Until then, and when it is
 * stopped, the older one stays. Returns how many bytes there are.
 */
export async function writeSnapshotFile(
  path: string,
  snapshot: CatalogueSnapshot<Mode>,
  stopped: AbortSignal,
): Promise<number> {
  const folder = dirname(path)
  ensureDataDir(dirname(folder))
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
    // Another process made it shorter; what is missing reads as zeros, which no checksum takes.
    if (bytesRead === 0) return
    at += bytesRead
  }
}

/** Several processes may write at once, so only what nobody writes any more is taken away. */
async function removeAbandoned(folder: string, name: string): Promise<void> {
  for (const entry of await readdir(folder)) {
    if (!entry.startsWith(`${name}.`) || !entry.endsWith('.aside')) continue
    const path = join(folder, entry)
    // Either way: a clock that ran ahead leaves files of the future behind.
    const age = await stat(path).then(
      ({ mtimeMs }) => Math.abs(Date.now() - mtimeMs),
      () => 0,
    )
    if (age > abandonedMs) await rm(path, { force: true })
  }
}
