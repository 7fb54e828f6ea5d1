import type { TSchema } from 'typebox'
import type { Facet } from '../../../search/query/vocabulary.ts'
import { facets } from '../../../search/query/vocabulary.ts'
import { type Shape, shapeOf } from './fields.ts'

/** A field as a column of a CSV file names it. */
export interface ImportField {
  /** `emails.0.email`; further items of a list have other numbers. */
  name: string
  description: string
  /** All values that it may have; null for free text, and for the values of the taxonomy. */
  values: string[] | null
  /** The facet of the taxonomy whose values it has. */
  facet: Facet | null
  isRequired: boolean
}

/** All fields of a record, in the order of its schema. */
export function listFields(schema: TSchema, prefix = ''): ImportField[] {
  const { properties = {}, required = [] } = shapeOf(schema)
  return Object.entries(properties).flatMap(([name, child]) => {
    const shape = shapeOf(child)
    const path = `${prefix}${name}`
    if (shape.type === 'object') return listFields(child, `${path}.`)
    const item = shape.type === 'array' ? shapeOf(shape.items!) : null
    if (item?.type === 'object') return listFields(shape.items!, `${path}.0.`)
    return describeField(path, shape, item ?? shape, prefix === '' && required.includes(name))
  })
}

function describeField(name: string, shape: Shape, value: Shape, isRequired: boolean): ImportField {
  const separator = shape === value ? '' : '; | between several'
  return {
    name,
    description: `${shape.description ?? ''}${separator}`,
    values: value.enum ?? (value.type === 'boolean' ? ['true', 'false'] : null),
    facet: facets.find((facet) => facet === value.cell) ?? null,
    isRequired,
  }
}
