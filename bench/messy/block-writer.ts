import { once } from 'node:events'
import { createWriteStream } from 'node:fs'

const blockBytes = 1 << 20

/** Writes a file of many small pieces in few large ones. */
export class BlockWriter {
  readonly #stream
  #pieces: Buffer[] = []
  #bytes = 0

  constructor(file: string) {
    this.#stream = createWriteStream(file)
  }

  /** A promise only when a block is full: waiting for every piece would take longer than writing. */
  write(piece: Buffer): Promise<void> | undefined {
    this.#pieces.push(piece)
    this.#bytes += piece.length
    return this.#bytes < blockBytes ? undefined : this.#flush()
  }

  async end(): Promise<void> {
    await this.#flush()
    this.#stream.end()
    await once(this.#stream, 'close')
  }

  async #flush(): Promise<void> {
    const block = Buffer.concat(this.#pieces)
    this.#pieces = []
    this.#bytes = 0
    if (!this.#stream.write(block)) await once(this.#stream, 'drain')
  }
}
