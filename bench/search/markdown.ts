/** A table: the first column is of words, the others are of figures. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rule = header.map((_, column) => (column === 0 ? '---' : '--:'))
  return [line(header), line(rule), ...rows.map(line)].join('\n')
}

/** Milliseconds with the digits that mean something. */
export function ms(value: number): string {
  if (value >= 100) return count(value)
  return value >= 10 ? value.toFixed(1) : value >= 1 ? value.toFixed(2) : value.toFixed(3)
}

export function times(ratio: number): string {
  return ratio >= 10 ? `${count(ratio)} times` : `${ratio.toFixed(2)} times`
}

export function count(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

export function megabytes(bytes: number): string {
  return `${count(bytes / 1e6)} MB`
}
