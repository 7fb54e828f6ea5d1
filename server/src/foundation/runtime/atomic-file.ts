import { createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { OperatorError } from '../kernel/errors.ts'

/**
 * Writes a file, compressed if its name ends with .gz. It gets its name once all of it is on disk, and its owner alone may
 * read it. Throws an `OperatorError` if it cannot be written.
 */
export async function writeAtomically(file: string, blocks: AsyncIterable<string | Buffer>): Promise<void> {
  const part = `${file}.part`
  try {
    const output = createWriteStream(part, { mode: 0o600 })
    await (file.endsWith('.gz')
      ? pipeline(Readable.from(blocks), createGzip(), output)
      : pipeline(Readable.from(blocks), output))
    const written = await open(part, 'r+')
    await written.sync().finally(() => written.close())
    await rename(part, file)
  } catch (cause) {
    await rm(part, { force: true })
    if (cause instanceof OperatorError || !('code' in (cause as Error)) || !('path' in (cause as Error))) throw cause
    throw new OperatorError(`${file} cannot be written: ${(cause as Error).message}.`, { cause })
  }
}
