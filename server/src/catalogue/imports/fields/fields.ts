import { type TSchema, Type } from 'typebox'
import { describeDomainFault, normalizeDomain } from '../../../foundation/kernel/domain.ts'
import { Nullable } from '../../../foundation/kernel/shapes.ts'
import type { Facet } from '../../../search/query/vocabulary.ts'
import { badValue, type Fault, fault } from './faults.ts'

/**
 * How a CSV cell of this field is cleaned, beyond what its JSON type says. `name` is text that people read, so formulas
 * and markup are at fault; a facet is a taxonomy value.
 */
export type CellKind = 'host' | 'name' | 'moment' | 'email' | 'phone' | Facet

/** A string field of an import record. `cell` says how CSV cells are cleaned, `description` what the field holds. */
const Text = (cell: CellKind | null, options: { minLength?: number; maxLength: number; description: string }) =>
  Type.String({ ...options, ...(cell && { cell }) })

export const HostText = (description: string) => Text('host', { maxLength: 2_048, description })
export const NameText = (maxLength: number, description: string) =>
  Text('name', { minLength: 1, maxLength, description })
export const PlainText = (maxLength: number, description: string, cell: CellKind | null = null) =>
  Text(cell, { minLength: 1, maxLength, description })
export const MomentText = (description: string) => Text('moment', { maxLength: 64, description })
export const TaxonomyText = (facet: Facet, description: string) => Text(facet, { maxLength: 200, description })
/** A field that may be missing (keep the stored value) or null (clear it). */
export const OptionalNullable = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))

/** The change that a record makes to a field: undefined keeps the stored value, null clears it. */
export type PatchField<T> = T | null | undefined

/** Converts a given value; passes undefined and null on. */
export function mapGiven<T, R>(given: T, read: (value: NonNullable<T>) => R): R | null | undefined {
  if (given === undefined || given === null) return given as null | undefined
  return read(given)
}

/** Returns the value of a field after a record was applied. */
export function patchField<T>(patch: PatchField<T>, current: T, cleared: T): T {
  if (patch === undefined) return current
  return patch === null ? cleared : patch
}

/** Returns the normal form of a host; undefined, with a fault, for text that is no domain. */
export function readHost(faults: Fault[], path: string, text: string): string | undefined {
  const host = normalizeDomain(text)
  if (host !== null) return host
  const character = describeDomainFault(text)
  if (character === null) faults.push(badValue(path, text, 'is not a domain'))
  else faults.push(badValue(path, text, `is not a domain: it has ${character}`, 'write it anew'))
  return undefined
}

/** Reads one line of text. A lone surrogate is not a valid character, and a terminal would act on control characters. */
export function readText(faults: Fault[], path: string, text: string): string | undefined {
  if (text.trim() === '') faults.push(fault(path, 'must not be blank'))
  else if (/\p{Cc}/u.test(text)) faults.push(fault(path, 'contains control characters'))
  else if (!text.isWellFormed()) faults.push(fault(path, 'contains invalid characters'))
  else return text
  return undefined
}

/** The keywords of a field's schema that decide how CSV cells are read and described. */
export interface Shape {
  type?: string
  enum?: string[]
  anyOf?: TSchema[]
  properties?: Record<string, TSchema>
  required?: string[]
  items?: TSchema
  maxItems?: number
  minimum?: number
  maximum?: number
  description?: string
  cell?: CellKind
  /** Other words for the values of an enum, by their key. */
  words?: Readonly<Record<string, string>>
  /** Whether it restricts what may be done with its item: without a value that is given, the item is left out, too. */
  restricts?: boolean
}

/** Unwraps a nullable schema. */
export function shapeOf(schema: TSchema): Shape {
  const shape: Shape = schema
  return shape.anyOf ? shapeOf(shape.anyOf[0]!) : shape
}

/** The schema of a field of an object. */
export function fieldSchema({ properties }: Shape, name: string): TSchema | undefined {
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined
}

/** The schema of the items of a list; `index` must be one that a list may have. */
export function itemSchema({ items, maxItems = Number.POSITIVE_INFINITY }: Shape, index: string): TSchema | undefined {
  return /^(0|[1-9]\d{0,3})$/.test(index) && Number(index) < maxItems ? items : undefined
}

/** The schema of a field such as `a.b` or `a.0.b`; undefined if a record has no such field. */
export function findField(schema: TSchema, field: string): Shape | undefined {
  let found: TSchema | undefined = schema
  for (const step of field.split('.')) {
    const shape: Shape = shapeOf(found)
    found = shape.type === 'array' ? itemSchema(shape, step) : fieldSchema(shape, step)
    if (!found || (shape.type === 'array' && shapeOf(found).type !== 'object')) return undefined
  }
  return shapeOf(found)
}
