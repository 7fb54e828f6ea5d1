import { statfs } from 'node:fs/promises'

/** Left free on a disk, for the database that may share it. */
const reservedBytes = 268_435_456

/** How many bytes are free on the disk of a folder. */
export async function readAvailableBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** How many bytes may be written to the disk of a folder. */
export async function readFreeBytes(folder: string): Promise<number> {
  return Math.max(0, (await readAvailableBytes(folder)) - reservedBytes)
}
