import { normalizeDomain } from '../../../foundation/kernel/domain.ts'

const lookedAt = 50
/** Longer cells are neither hosts nor addresses. */
const longestCell = 300

/** What nearly all cells of a column are; null for anything else. */
export function looksLike(rows: readonly (readonly string[])[], column: number): 'host' | 'email' | null {
  const kinds = rows
    .slice(0, lookedAt)
    .map((cells) => (cells[column] ?? '').trim())
    .filter((cell) => cell !== '')
    .map(kindOf)
  for (const kind of ['host', 'email'] as const)
    if (kinds.length > 0 && kinds.filter((each) => each === kind).length >= kinds.length * 0.8) return kind
  return null
}

function kindOf(cell: string): 'host' | 'email' | null {
  if (cell.length > longestCell || !cell.includes('.')) return null
  const at = cell.indexOf('@')
  if (at === -1) return normalizeDomain(cell) === null ? null : 'host'
  return at > 0 && normalizeDomain(cell.slice(at + 1)) !== null ? 'email' : null
}
