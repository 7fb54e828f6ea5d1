/**
 * Normal forms of contact channels: different spellings of one channel have the same normal form, so that an erased
 * person is recognised in any later file. A normal form is its own normal form. Null for text that is no such channel.
 */
/** Repeats a normalisation until the result is stable (bounded): one pass can uncover what the next one removes. */
export function normalizeUntilStable(text: string, read: (text: string) => string | null, passes = 8): string | null {
  const normal = read(text)
  return normal === null || normal === text || passes === 1 ? normal : normalizeUntilStable(normal, read, passes - 1)
}

/** One spelling for letters: no invisible characters, full-width and composed forms unified, lower case. */
export function fold(text: string): string {
  const visible = text.replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  return visible.normalize('NFKC').toLowerCase().normalize('NFKC').replaceAll('ς', 'σ').trim()
}

const reserved = /[/?#&=+\\]/g

/** Decodes percent escapes except those of separators. A percent sign itself is dropped. */
export function decodeEscapes(text: string): string {
  const decoded = text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return fold(decodeURIComponent(run)).replaceAll('%', '').replace(reserved, encodeURIComponent).toLowerCase()
    } catch {
      return run
    }
  })
  return decoded.replace(/%(?!2f|3f|23|26|3d|2b|5c)/g, '')
}
