/** A statement with named parameters, such as `:account_id::bigint`, and the order in which PostgreSQL numbers them. */
export interface NamedStatement {
  /** The text with `$1`, `$2`, …; null stands for a value that none of its parameters has. */
  text: string
  names: readonly string[]
}

export function numberParameters(named: string): NamedStatement {
  const names: string[] = []
  const text = named.replace(/(?<![:\w]):([a-z_]{1,60})/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  return { text, names }
}

/** A PostgreSQL array of values without special characters; cheaper than what the driver does for any value. */
export function arrayLiteral(values: readonly (number | string | boolean | null)[]): string {
  let items = ''
  for (let index = 0; index < values.length; index++) items += `${index > 0 ? ',' : ''}${values[index] ?? 'NULL'}`
  return `{${items}}`
}
