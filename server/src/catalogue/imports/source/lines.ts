/** Splits text files into lines. */
/** One line of a text file, without its line break. */
export interface Line {
  /** Counted from 1. */
  number: number
  bytes: Buffer
  /** Whether the line is too long; `bytes` is then its beginning. */
  isTruncated: boolean
}

/** No valid record comes near this; longer lines are rejected and not held in memory. */
export const maxLineBytes = 1_000_000

/** How much of a too long line is kept. */
const cutBytes = 2_000

const lineFeed = 0x0a
const carriageReturn = 0x0d
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/** Splits blocks of bytes into lines. Buffers at most one line. */
export class LineSplitter {
  #number = 0
  #held: Buffer[] = []
  #heldBytes = 0

  /** Returns the lines that end in this block. LF, CRLF and CR alone end a line. */
  push(block: Buffer): Line[] {
    const lines: Line[] = []
    let start = 0
    for (let end = block.indexOf(lineFeed); end !== -1; end = block.indexOf(lineFeed, start)) {
      this.#splitAtReturns(block.subarray(start, end), lines)
      this.#release(lines)
      start = end + 1
    }
    this.#splitAtReturns(block.subarray(start), lines)
    return lines
  }

  /** Returns the last line if no line break followed it. */
  end(): Line[] {
    const lines: Line[] = []
    if (this.#heldBytes > 0) this.#release(lines)
    return lines
  }

  /** Keep a CR at the end: an LF may follow it. */
  #splitAtReturns(part: Buffer, lines: Line[]): void {
    let start = 0
    if (part.length > 0 && this.#endsWithReturn()) this.#release(lines)
    for (let end = part.indexOf(carriageReturn); end !== -1; end = part.indexOf(carriageReturn, start)) {
      if (end === part.length - 1) break
      this.#hold(part.subarray(start, end))
      this.#release(lines)
      start = end + 1
    }
    this.#hold(part.subarray(start))
  }

  #endsWithReturn(): boolean {
    return this.#held.length > 0 && this.#held.at(-1)!.at(-1) === carriageReturn
  }

  #hold(part: Buffer): void {
    if (part.length === 0) return
    this.#held.push(part)
    this.#heldBytes += part.length
    // Copied, so that the beginning of a long line does not keep the whole block in memory.
    if (this.#heldBytes > maxLineBytes) this.#held = [Buffer.from(this.#joined().subarray(0, cutBytes))]
  }

  #joined(): Buffer {
    return this.#held.length === 1 ? this.#held[0]! : Buffer.concat(this.#held)
  }

  #release(lines: Line[]): void {
    let bytes = this.#joined()
    const isTruncated = this.#heldBytes > maxLineBytes
    this.#held = []
    this.#heldBytes = 0
    this.#number++
    if (this.#number === 1 && bytes.subarray(0, 3).equals(byteOrderMark)) bytes = bytes.subarray(3)
    if (bytes.at(-1) === carriageReturn) bytes = bytes.subarray(0, -1)
    lines.push({ number: this.#number, bytes, isTruncated })
  }
}

/** Whether a line consists of white space only. */
export function isBlank({ bytes }: Pick<Line, 'bytes'>): boolean {
  return bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d))
}
