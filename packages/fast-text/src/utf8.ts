/** Messages and replies that are put together from texts: many small buffers would cost more than what they hold. */

/** No text takes more in UTF-8. */
export const mostBytesPerCharacter = 3

/** Room for the largest pages; what does not fit gets memory of its own. */
const workspace = Buffer.allocUnsafeSlow(262_144)

/** Bytes that `write` puts into a buffer with room for `most` of them; it returns how many. */
export function composeBytes(most: number, write: (bytes: Buffer) => number): Buffer {
  if (most > workspace.length) {
    const bytes = Buffer.allocUnsafe(most)
    return bytes.subarray(0, write(bytes))
  }
  // A copy, because the caller may keep it and the workspace is used again.
  return Buffer.from(workspace.subarray(0, write(workspace)))
}

/** A call of the engine's own encoder costs more than this many characters. */
const shortText = 48

/** Writes a text into a buffer with room for it; returns where it ends. */
export function writeUtf8(bytes: Buffer, text: string, start: number): number {
  if (text.length > shortText) return start + bytes.write(text, start)
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code > 0x7f) return start + bytes.write(text, start)
    bytes[start + index] = code
  }
  return start + text.length
}
