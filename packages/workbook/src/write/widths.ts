import type { CellValue } from './cells.ts'

const narrowest = 8
const widest = 60
/** Room at the sides. */
const margin = 2
/** The button of the filter stands in the header's cell. */
const filterButton = 2

/** The width of a column with this header, in characters, before any of its values is known. */
export function headerWidth(name: string): number {
  return clampWidth(displayLength(name) + filterButton)
}

/** The width at which a value can be read; 0 for an empty one. */
export function valueWidth(value: CellValue): number {
  if (value === null) return 0
  if (typeof value === 'object') return clampWidth(value instanceof Date ? 19 : 10)
  const text = String(value)
  // Beyond it the width is known, however long the text is.
  return clampWidth(displayLength(text.length > widest ? text.slice(0, widest) : text))
}

function clampWidth(length: number): number {
  return Math.min(widest, Math.max(narrowest, length + margin))
}

/** Ideographs, syllables and pictures take the place of two letters. */
const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/g

function displayLength(text: string): number {
  return text.length + (text.match(wide)?.length ?? 0)
}
