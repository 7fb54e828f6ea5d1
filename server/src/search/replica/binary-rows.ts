/**
 * Parses `copy … to stdout (format binary)` as a stream. There are millions of rows, so nothing is allocated per row; the
 * caller reads each field with the method for its type.
 */
export async function readBinaryRows(chunks: AsyncIterable<Buffer>, readRow: (row: BinaryRow) => void): Promise<void> {
  const row = new BinaryRow()
  for await (const chunk of chunks) {
    row.append(chunk)
    while (row.begin()) readRow(row)
  }
  if (!row.isAtEnd) throw new Error('a copy out of the database ended before its last row')
}

/** Signature, flags, and the length of an extension, which is 0. */
const headerBytes = 19
const lastRow = -1
/** PostgreSQL timestamps count from the year 2000. */
const postgresEpochMs = 946_684_800_000
const arrayHeaderBytes = 20

/** The current row. Read its fields in order, each once. */
export class BinaryRow {
  #bytes: Buffer = Buffer.alloc(0)
  #view: DataView = new DataView(new ArrayBuffer(0))
  #at = 0
  #isPastHeader = false
  isAtEnd = false

  append(chunk: Buffer): void {
    const rest = this.#bytes.subarray(this.#at)
    this.#bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    this.#view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.length)
    this.#at = 0
  }

  /** Moves to the next row; returns false if it has not arrived completely. */
  begin(): boolean {
    if (!this.#isPastHeader) {
      if (this.#bytes.length < headerBytes) return false
      this.#at = headerBytes
      this.#isPastHeader = true
    }
    if (!this.#isWhole()) return false
    const fields = this.#view.getInt16(this.#at)
    this.#at += 2
    this.isAtEnd = fields === lastRow
    return !this.isAtEnd
  }

  #isWhole(): boolean {
    const [view, end] = [this.#view, this.#bytes.length]
    let at = this.#at + 2
    if (this.isAtEnd || at > end) return false
    for (let fields = view.getInt16(this.#at); fields > 0; fields--) {
      if (at + 4 > end) return false
      at += 4 + Math.max(0, view.getInt32(at))
    }
    return at <= end
  }

  #isNull(): boolean {
    const length = this.#view.getInt32(this.#at)
    this.#at += 4
    return length < 0
  }

  boolean(): boolean {
    this.#at += 5
    return this.#view.getUint8(this.#at - 1) !== 0
  }

  int16(): number {
    this.#at += 6
    return this.#view.getInt16(this.#at - 2)
  }

  int32Or(absent: number): number {
    if (this.#isNull()) return absent
    this.#at += 4
    return this.#view.getInt32(this.#at - 4)
  }

  /** Exact up to 2^53. */
  int64(): number {
    this.#at += 12
    return this.#view.getInt32(this.#at - 8) * 2 ** 32 + this.#view.getUint32(this.#at - 4)
  }

  float64(): number {
    this.#at += 12
    return this.#view.getFloat64(this.#at - 8)
  }

  /** A moment in milliseconds since 1970, with fractions; NaN for null. */
  moment(): number {
    if (this.#isNull()) return Number.NaN
    this.#at += 8
    const high = this.#view.getInt32(this.#at - 8)
    // Microseconds of distant years exceed the exact range of a number.
    if (high >= 2 ** 20 || high < -(2 ** 20)) {
      const microseconds = this.#view.getBigInt64(this.#at - 8)
      return Number(microseconds / 1_000n) + Number(microseconds % 1_000n) / 1_000 + postgresEpochMs
    }
    return (high * 2 ** 32 + this.#view.getUint32(this.#at - 4)) / 1_000 + postgresEpochMs
  }

  /** The length of the next `integer[]`. */
  countIntegers(): number {
    const dimensions = this.#view.getInt32(this.#at + 4)
    return dimensions === 0 ? 0 : this.#view.getInt32(this.#at + 16)
  }

  /** Reads an `integer[]` without nulls. */
  integers(into: Int32Array, from: number): void {
    const count = this.countIntegers()
    this.#at += 4 + (count === 0 ? 12 : arrayHeaderBytes)
    for (let index = from; index < from + count; index++) {
      into[index] = this.#view.getInt32(this.#at + 4)
      this.#at += 8
    }
  }
}
