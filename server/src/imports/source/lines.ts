/** One line of a text file, without its line break. */
export interface Line {
  /** Counted from 1. */
  number: number
  bytes: Buffer
  /** Set when the line is longer than allowed; `bytes` is its beginning. */
  isTruncated: boolean
}

/** No record of ours comes near it; what is longer is a mistake, and is not kept in memory. */
export const maxLineBytes = 1_000_000

/** What is kept of a line that is too long. */
const cutBytes = 2_000

const lineFeed = 0x0a
const carriageReturn = 0x0d
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/** Cuts blocks of bytes into lines, wherever the blocks end. Holds one line at most. */
export class LineSplitter {
  #number = 0
  #held: Buffer[] = []
  #heldBytes = 0

  /** The lines that end in this block. */
  push(block: Buffer): Line[] {
    const lines: Line[] = []
    let start = 0
    for (let end = block.indexOf(lineFeed); end !== -1; end = block.indexOf(lineFeed, start)) {
      this.#hold(block.subarray(start, end))
      lines.push(this.#release())
      start = end + 1
    }
    this.#hold(block.subarray(start))
    return lines
  }

  /** The last line, when no line break followed it. */
  end(): Line[] {
    return this.#heldBytes === 0 ? [] : [this.#release()]
  }

  #hold(part: Buffer): void {
    if (part.length === 0) return
    this.#held.push(part)
    this.#heldBytes += part.length
    // Copied, so that the beginning of a long line does not keep a whole block alive.
    if (this.#heldBytes > maxLineBytes) this.#held = [Buffer.from(this.#joined().subarray(0, cutBytes))]
  }

  #joined(): Buffer {
    return this.#held.length === 1 ? this.#held[0]! : Buffer.concat(this.#held)
  }

  #release(): Line {
    let bytes = this.#joined()
    const isTruncated = this.#heldBytes > maxLineBytes
    this.#held = []
    this.#heldBytes = 0
    this.#number++
    if (this.#number === 1 && bytes.subarray(0, 3).equals(byteOrderMark)) bytes = bytes.subarray(3)
    if (bytes.at(-1) === carriageReturn) bytes = bytes.subarray(0, -1)
    return { number: this.#number, bytes, isTruncated }
  }
}

/** A line of nothing but white space. */
export function isBlank({ bytes }: Line): boolean {
  return bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d))
}
