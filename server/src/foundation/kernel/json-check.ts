import { isUtf8 } from 'node:buffer'

/**
 * Checks a text as `parseStrictJson` does, without creating its value. Values with thousands of different keys take ten
 * times as long to create as to check, so a body is only checked until its caller is known. Recursive: bound the
 * nesting first, with `exceededJsonBound`.
 */
export function checkStrictJson(bytes: Buffer): 'invalid_utf8' | 'syntax' | 'duplicate_key' | null {
  if (!isUtf8(bytes)) return 'invalid_utf8'
  const checker = new Checker(bytes)
  if (!checker.text()) return 'syntax'
  return checker.repeatsKey ? 'duplicate_key' : null
}

const [quote, backslash, comma, colon, minus, plus, point] = [0x22, 0x5c, 0x2c, 0x3a, 0x2d, 0x2b, 0x2e]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]
const [zero, nine, upperE, lowerE, lowerU] = [0x30, 0x39, 0x45, 0x65, 0x75]

const isEscape = byteSet('"\\/bfnrt')
const isHex = byteSet('0123456789abcdefABCDEF')
const literals = ['true', 'false', 'null']

function byteSet(characters: string): Uint8Array {
  const table = new Uint8Array(256)
  for (const character of characters) table[character.charCodeAt(0)] = 1
  return table
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= zero && byte <= nine
}

/** Each method consumes its part at `#at` and returns whether it is valid. */
class Checker {
  repeatsKey = false
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  text(): boolean {
    return this.#value() && this.#at === this.#bytes.length
  }

  /** A value with surrounding white space. */
  #value(): boolean {
    this.#space()
    const isValid = this.#bareValue()
    this.#space()
    return isValid
  }

  #bareValue(): boolean {
    const byte = this.#bytes[this.#at]
    if (byte === quote) return this.#string()
    if (byte === openBracket) return this.#list()
    if (byte === openBrace) return this.#object()
    return byte === minus || isDigit(byte) ? this.#number() : this.#literal()
  }

  #list(): boolean {
    this.#at++
    this.#space()
    if (this.#take(closeBracket)) return true
    do if (!this.#value()) return false
    while (this.#take(comma))
    return this.#take(closeBracket)
  }

  #object(): boolean {
    const keys = new Set<string>()
    let count = 0
    this.#at++
    this.#space()
    if (this.#take(closeBrace)) return true
    do {
      this.#space()
      const start = this.#at
      if (!this.#string()) return false
      keys.add(this.#keyAt(start))
      count++
      this.#space()
      if (!this.#take(colon) || !this.#value()) return false
    } while (this.#take(comma))
    if (keys.size < count) this.repeatsKey = true
    return this.#take(closeBrace)
  }

  /** The key whose quotes are at `start` and just before `#at`. */
  #keyAt(start: number): string {
    const literal = this.#bytes.toString('utf8', start, this.#at)
    return literal.includes('\\') ? JSON.parse(literal) : literal.slice(1, -1)
  }

  #string(): boolean {
    const bytes = this.#bytes
    if (!this.#take(quote)) return false
    for (let i = this.#at; i < bytes.length; i++) {
      const byte = bytes[i]!
      if (byte === quote) {
        this.#at = i + 1
        return true
      }
      if (byte < 0x20) return false
      if (byte !== backslash) continue
      i++
      if (bytes[i] === lowerU) {
        for (const end = i + 4; i < end; i++) if (!isHex[bytes[i + 1] ?? 0]) return false
      } else if (!isEscape[bytes[i] ?? 0]) return false
    }
    return false
  }

  #number(): boolean {
    this.#take(minus)
    if (!this.#take(zero) && !this.#digits()) return false
    if (this.#take(point) && !this.#digits()) return false
    if (!this.#take(lowerE) && !this.#take(upperE)) return true
    if (!this.#take(plus)) this.#take(minus)
    return this.#digits()
  }

  #digits(): boolean {
    const start = this.#at
    while (isDigit(this.#bytes[this.#at])) this.#at++
    return this.#at > start
  }

  #literal(): boolean {
    for (const word of literals) {
      if (this.#bytes.toString('latin1', this.#at, this.#at + word.length) !== word) continue
      this.#at += word.length
      return true
    }
    return false
  }

  #space(): void {
    for (;;) {
      const byte = this.#bytes[this.#at]
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return
      this.#at++
    }
  }

  #take(byte: number): boolean {
    if (this.#bytes[this.#at] !== byte) return false
    this.#at++
    return true
  }
}
