import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Texts of a block, which is written and read at once. Few, since often one of them is wanted. */
const blockLength = 128
/** A text is a slice of its XML, which stays in memory with it: so many characters stand around it. */
const lengthAround = 20
/** Up to here all texts stay in memory; beyond, the blocks used last do. */
const maxCharactersInMemory = 12_000_000

/**
 * The shared texts of a workbook, by number. A large table lies in a temporary file that has no name, with the blocks
 * used last in memory: sheets name their texts nearly in order, and again those that are frequent.
 */
export class StringTable {
  readonly #maxCharacters: number
  #last: string[] = []
  /** Full blocks; null for one that is in the file alone. */
  readonly #blocks: (string[] | null)[] = []
  readonly #lengths: number[] = []
  /** Where each block lies in the file, in bytes. */
  readonly #places: { at: number; bytes: number }[] = []
  #used = new Uint8Array(1_024)
  #inMemory = 0
  #hand = 0
  #file: number | null = null
  #fileEnd = 0

  constructor(maxCharacters = maxCharactersInMemory) {
    this.#maxCharacters = maxCharacters
  }

  get size(): number {
    return this.#blocks.length * blockLength + this.#last.length
  }

  push(text: string): void {
    // NUL divides the texts of a block; another control character is told as the same fault.
    if (this.#last.push(text.replaceAll('\0', '\x01')) === blockLength) this.#closeBlock()
  }

  /** Undefined for a number that no text has. */
  get(index: number): string | undefined {
    const number = Math.floor(index / blockLength)
    if (number >= this.#blocks.length) return this.#last[index - this.#blocks.length * blockLength]
    this.#used[number] = 1
    const block = this.#blocks[number] ?? this.#load(number)
    return block[index - number * blockLength]
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file)
    this.#file = null
  }

  #closeBlock(): void {
    const block = this.#last
    const number = this.#blocks.length
    const length = block.reduce((sum, text) => sum + text.length, block.length * lengthAround)
    this.#lengths[number] = length
    this.#blocks.push(block)
    this.#inMemory += length
    this.#last = []
    if (number >= this.#used.length) {
      const used = new Uint8Array(2 * this.#used.length)
      used.set(this.#used)
      this.#used = used
    }
    this.#used[number] = 1
    if (this.#file === null && this.#inMemory <= this.#maxCharacters) return
    if (this.#file === null) this.#spill()
    else this.#store(number, block)
    this.#makeRoom(number)
  }

  /** Writes all blocks so far to a file that is removed as soon as it is open. */
  #spill(): void {
    const folder = mkdtempSync(join(tmpdir(), 'storedex-workbook-'))
    try {
      this.#file = openSync(join(folder, 'texts'), 'wx+', 0o600)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
    for (const [number, block] of this.#blocks.entries()) this.#store(number, block!)
  }

  #store(number: number, block: readonly string[]): void {
    const bytes = Buffer.from(block.join('\0'))
    let written = 0
    while (written < bytes.length)
      written += writeSync(this.#file!, bytes, written, bytes.length - written, this.#fileEnd + written)
    this.#places[number] = { at: this.#fileEnd, bytes: bytes.length }
    this.#fileEnd += bytes.length
  }

  #load(number: number): string[] {
    const { at, bytes } = this.#places[number]!
    const content = Buffer.allocUnsafe(bytes)
    let read = 0
    while (read < bytes) {
      const part = readSync(this.#file!, content, read, bytes - read, at + read)
      if (part === 0) throw new Error('the file of texts ends too early')
      read += part
    }
    const block = content.toString('utf8').split('\0')
    this.#blocks[number] = block
    this.#inMemory += this.#lengths[number]!
    this.#makeRoom(number)
    return block
  }

  /** Lets go of blocks that were not used since the hand passed last. */
  #makeRoom(kept: number): void {
    // Two rounds: the first may find all of them used.
    for (let steps = 2 * this.#blocks.length; steps > 0 && this.#inMemory > this.#maxCharacters; steps--) {
      const number = this.#hand
      this.#hand = (this.#hand + 1) % this.#blocks.length
      if (number === kept || this.#blocks[number] === null) continue
      if (this.#used[number] === 1) this.#used[number] = 0
      else {
        this.#blocks[number] = null
        this.#inMemory -= this.#lengths[number]!
      }
    }
  }
}
