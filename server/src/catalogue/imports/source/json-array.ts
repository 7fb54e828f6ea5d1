/**
 * Splits a JSON array into the texts of its elements, block by block, so that each is parsed by the same strict parser as
 * a line of NDJSON. A streaming JSON parser would keep the last of two equal keys.
 */
import { isBlank, maxLineBytes } from './lines.ts'

/** The text of one element. */
export interface JsonElement {
  /** The line on which it begins, counted from 1. */
  line: number
  bytes: Buffer
  /** Whether it is too long; `bytes` is then its beginning. */
  isTruncated: boolean
}

const [lineFeed, quote, backslash, comma] = [0x0a, 0x22, 0x5c, 0x2c]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]
const cutBytes = 2_000

export class JsonArraySplitter {
  #line = 1
  /** Level 1 is the array itself. */
  #depth = 0
  #inString = false
  #isEscaped = false
  #startLine = 1
  #held: Buffer[] = []
  #heldBytes = 0
  #hasContent = false
  #afterEnd = false

  /** Returns the elements that end in this block. */
  push(block: Buffer): JsonElement[] {
    const elements: JsonElement[] = []
    let start = 0
    for (let at = 0; at < block.length; at++) {
      const byte = block[at]!
      if (byte === lineFeed) this.#line++
      if (!this.#hasContent && this.#depth > 0 && byte !== comma && !isSpace(byte)) {
        this.#hasContent = true
        this.#startLine = this.#line
      }
      if (this.#inString) {
        if (this.#isEscaped) this.#isEscaped = false
        else if (byte === backslash) this.#isEscaped = true
        else if (byte === quote) this.#inString = false
        continue
      }
      if (byte === quote) this.#inString = true
      else if (byte === openBrace || byte === openBracket) {
        if (++this.#depth === 1) start = at + 1
      } else if (byte === closeBrace || byte === closeBracket) {
        if (--this.#depth > 0) continue
        this.#hold(block.subarray(start, at))
        this.#release(elements)
        start = at + 1
        this.#afterEnd = true
      } else if (byte === comma && this.#depth === 1) {
        this.#hold(block.subarray(start, at))
        this.#release(elements)
        start = at + 1
      }
    }
    this.#hold(block.subarray(start))
    return elements
  }

  /** What follows the last complete element; none if the array was closed. */
  end(): JsonElement[] {
    const elements: JsonElement[] = []
    this.#release(elements)
    return elements
  }

  /** Whether the array was closed. */
  get isClosed(): boolean {
    return this.#afterEnd && this.#depth <= 0
  }

  #hold(part: Buffer): void {
    this.#heldBytes += part.length
    if (this.#heldBytes <= maxLineBytes) this.#held.push(part)
    else this.#held = [Buffer.concat([...this.#held, part]).subarray(0, cutBytes)]
  }

  #release(elements: JsonElement[]): void {
    const bytes = Buffer.concat(this.#held)
    const isTruncated = this.#heldBytes > maxLineBytes
    this.#held = []
    this.#heldBytes = 0
    this.#hasContent = false
    if (!isBlank({ bytes })) elements.push({ line: this.#startLine, bytes, isTruncated })
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
}
