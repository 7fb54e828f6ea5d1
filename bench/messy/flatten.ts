import type { Values } from './truth.ts'

/** Fields with a value, by path; lists of texts stay lists, those of objects get an index. */
export function flatten(record: object, path = ''): Values {
  const values: Values = {}
  for (const [name, value] of Object.entries(record)) {
    const field = `${path}${name}`
    if (value === null || value === undefined) continue
    if (typeof value !== 'object') values[field] = value
    else if (!Array.isArray(value) || typeof value[0] === 'object') Object.assign(values, flatten(value, `${field}.`))
    else if (value.length > 0) values[field] = value
  }
  return values
}
