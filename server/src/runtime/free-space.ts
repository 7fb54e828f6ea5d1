import { statfs } from 'node:fs/promises'

/** Left free on a disk, for the database that may share it. */
const reservedBytes = 268_435_456

/** How many bytes may be written to the disk of a folder. */
export async function readFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return Math.max(0, bavail * bsize - reservedBytes)
}
