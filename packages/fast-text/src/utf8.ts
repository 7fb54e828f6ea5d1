/** Joins texts to one message or reply. Many small buffers would cost more than their content. */

/** The maximum in UTF-8, for each UTF-16 code unit. */
export const mostBytesPerCharacter = 3

/** Fits the largest pages; a larger text gets memory of its own. */
const workspace = Buffer.allocUnsafeSlow(262_144)

/** Returns the bytes that `write` puts into a buffer of at least `most` bytes. `write` returns their number. */
export function composeBytes(most: number, write: (bytes: Buffer) => number): Buffer {
  if (most > workspace.length) {
    const bytes = Buffer.allocUnsafe(most)
    return bytes.subarray(0, write(bytes))
  }
  // Copy: the workspace is reused, and the caller may keep the bytes.
  return Buffer.from(workspace.subarray(0, write(workspace)))
}

/** Up to this length, a loop costs less than a call of the engine's encoder. */
const shortText = 48

/** Writes a text into a buffer with enough room; returns the index after its last byte. */
export function writeUtf8(bytes: Buffer, text: string, start: number): number {
  if (text.length > shortText) return start + bytes.write(text, start)
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code > 0x7f) return start + bytes.write(text, start)
    bytes[start + index] = code
  }
  return start + text.length
}
