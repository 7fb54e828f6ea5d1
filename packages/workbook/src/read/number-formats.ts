/** What a number format shows of a number. */
export type CellFormat =
  | { kind: 'number' }
  | { kind: 'percent' }
  /** Digits with leading zeros and text between them: a number by which something is called. */
  | { kind: 'digits'; template: readonly (string | null)[]; digits: number }
  | { kind: 'date'; shows: 'day' | 'month' | 'year' | 'moment' | 'time' }

const plain: CellFormat = { kind: 'number' }
const day: CellFormat = { kind: 'date', shows: 'day' }

/** Formats that files name by a number alone (ECMA-376, 18.8.30); those from 27 to 58 are dates of East Asia. */
const builtIn = new Map<number, CellFormat>([
  ...[9, 10].map((id) => [id, { kind: 'percent' }] as const),
  ...[14, 15, 16].map((id) => [id, day] as const),
  [17, { kind: 'date', shows: 'month' }],
  ...[18, 19, 20, 21, 45, 46, 47].map((id) => [id, { kind: 'date', shows: 'time' }] as const),
  [22, { kind: 'date', shows: 'moment' }],
  ...[27, 28, 29, 30, 31, 34, 35, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58].map((id) => [id, day] as const),
  ...[32, 33].map((id) => [id, { kind: 'date', shows: 'time' }] as const),
])

export function builtInFormat(id: number): CellFormat {
  return builtIn.get(id) ?? plain
}

/** The parts of a code: a quoted text, an escaped character, room of a width, what stands in brackets, or one character. */
const parts = /"[^"]*"?|\\.|[_*].|\[[^\]]*\]?|[\s\S]/g
/** A time that counts on beyond its day, such as [h]. */
const elapsed = /^\[(h+|m+|s+)\]$/i

/** The sign that a part is; NUL for a text, and empty for what shows nothing. */
function signOf(part: string): string {
  if (part[0] === '[') return elapsed.exec(part)?.[1] ?? ''
  if (part[0] === '"') return '\0'
  if (part.length === 1) return part
  return part[0] === '\\' ? '\0' : ''
}

/** The format of a code such as `yyyy-mm-dd`, `0.0%` or `00000`: of its first part, which is for positive numbers. */
export function readNumberFormat(code: string): CellFormat {
  const bare = code.replace(parts, signOf)
  const [shown = ''] = bare.split(';')
  const signs = shown.replace(/general|standard/gi, '').toLowerCase()
  if (/[ymdhs]/.test(signs)) return { kind: 'date', shows: shownOf(signs) }
  if (signs.includes('%')) return { kind: 'percent' }
  if (/0.*0/.test(signs) && /^[0\0 ()/+-]+$/.test(signs)) return digitsOf(code)
  return plain
}

function shownOf(signs: string): (CellFormat & { kind: 'date' })['shows'] {
  const hasTime = /[hs]/.test(signs)
  const hasDate = /[yd]/.test(signs)
  if (hasTime) return hasDate ? 'moment' : 'time'
  if (signs.includes('d')) return 'day'
  return signs.includes('m') ? (signs.includes('y') ? 'month' : 'day') : 'year'
}

/** Texts in the order of the code, null for a digit. */
function digitsOf(code: string): CellFormat {
  const template: (string | null)[] = []
  for (const [part] of code.matchAll(parts)) {
    if (part === ';') break
    if (part === '0') template.push(null)
    else if (part[0] === '"') template.push(part.replaceAll('"', ''))
    else if (part[0] === '\\') template.push(part.slice(1))
    else if (part.length === 1) template.push(part)
  }
  return { kind: 'digits', template, digits: template.filter((part) => part === null).length }
}

/** A whole number in such a format: digits are filled in from the right, those too many stand first. */
export function formatDigits({ template, digits }: CellFormat & { kind: 'digits' }, number: string): string {
  const padded = number.padStart(digits, '0')
  let at = padded.length - digits
  let isFirst = true
  return template
    .map((part) => {
      if (part !== null) return part
      const from = isFirst ? 0 : at
      isFirst = false
      return padded.slice(from, ++at)
    })
    .join('')
}
