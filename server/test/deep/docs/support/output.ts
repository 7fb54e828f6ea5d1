/** How a documented output differs from a real one, apart from `…`, durations, and how lines are broken. */
export function differenceFromOutput(documented: string, output: string): string[] {
  const normalized = (text: string) =>
    text
      .replace(/\d+(\.\d+)? s\b/g, 'N s')
      .replace(/\s+/g, ' ')
      .trim()
  const pattern = normalized(documented)
    .split('…')
    .map((part) => part.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*?')
  return new RegExp(pattern).test(normalized(output)) ? [] : [`the block before it prints:\n${output}`]
}

/** The names and types in a JSON value, sorted; arrays by their first element. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length > 0 ? [shapeOf(value[0])] : []
  if (typeof value !== 'object' || value === null) return typeof value
  const entries = Object.entries(value).map(([key, child]) => [key, shapeOf(child)] as const)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
