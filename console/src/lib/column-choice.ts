/** The columns of a table that somebody has chosen: ids that exist, in the order of the table. Undefined for none. */
export function parseColumns(known: readonly string[], choice: unknown): string[] | undefined {
  const words = typeof choice === 'string' ? choice.split(/[\s,]+/) : Array.isArray(choice) ? choice : []
  const chosen = known.filter((id) => words.includes(id))
  return chosen.length > 0 ? chosen : undefined
}
