/** Finds the fields that the columns of a file mean: by their name, or by what people call them. */

import type { FieldNames } from '../fields/field-names.ts'
import { findField } from '../fields/fields.ts'
import { attributeWords, givenNameWords, keyOfHeader, surnameWords } from '../fields/meanings.ts'

/** The field that a header means. */
export interface FoundField {
  field: string
  how: 'name' | 'synonym'
}

/** A header with its number in a list: `E-mail 2 Address` is number 2 of `email`. */
interface Item {
  /** The field with 0 for the index. */
  first: string
  number: number | null
}

/** Whether a field is of an item of a list: `emails.0.email`. */
function isListField(field: string): boolean {
  return /\.\d+\./.test(field)
}

export class FieldFinder {
  readonly #names: FieldNames
  readonly #byKey = new Map<string, FoundField>()

  constructor(names: FieldNames) {
    this.#names = names
    for (const [field, synonyms] of Object.entries(names.synonyms))
      for (const synonym of synonyms) this.#byKey.set(keyOfHeader(synonym), { field, how: 'synonym' })
    // A field's own name wins over a synonym of another one.
    for (const { name } of names.fields) this.#byKey.set(keyOfHeader(name), { field: name, how: 'name' })
  }

  /**
   * The field of each header, in the places of their lists; undefined for an unknown one. `chosen` has the fields that a
   * person chose, null for those that they ignore.
   */
  findAll(headers: readonly string[], chosen: readonly (string | null | undefined)[]): (FoundField | undefined)[] {
    const keys = headers.map((header, index) => (chosen[index] === undefined ? keyOfHeader(header) : ''))
    const items = headers.map((header, index) => this.#findItem(header, keys[index]!))
    const found = headers.map((header, index): FoundField | undefined => {
      const choice = chosen[index]
      if (choice !== undefined) return choice === null ? undefined : { field: choice, how: 'name' }
      if (findField(this.#names.schema, header)) return { field: header, how: 'name' }
      const item = items[index]
      if (item?.number == null) return this.#byKey.get(keys[index]!) ?? this.#findExact(header)
      const field = item.first.replace('.0.', `.${item.number - 1}.`)
      return findField(this.#names.schema, field) ? { field, how: 'synonym' } : undefined
    })
    this.#placePersonNames(keys, found)
    this.#placeItems(found)
    this.#placeAttributes(keys, items, found)
    return found
  }

  /** `Emails.1.Email`: a field's name in another spelling. */
  #findExact(header: string): FoundField | undefined {
    const inside = /(?<=\D)\d{1,2}(?=\D)/.exec(header)
    if (!inside) return undefined
    const first = this.#byKey.get(keyOfHeader(replaceAt(header, inside, '0')))?.field
    const field = first && isListField(first) ? first.replace('.0.', `.${Number(inside[0])}.`) : undefined
    return field && findField(this.#names.schema, field) ? { field, how: 'name' } : undefined
  }

  /** `Email 2`, `E-mail 2 Address` and `Phone #2` are second items; `Email` is one without a number. */
  #findItem(header: string, key: string): Item | undefined {
    if (key === '') return undefined
    const plain = this.#byKey.get(key)
    if (plain) return isListField(plain.field) ? { first: plain.field, number: null } : undefined
    if (this.#findExact(header)) return undefined
    const number = /(?<=\D)\d{1,2}(?=\D|$)/.exec(header)
    if (!number || Number(number[0]) < 1) return undefined
    const first = this.#byKey.get(keyOfHeader(replaceAt(header, number, ' ').replaceAll('#', '')))?.field
    return first && isListField(first) ? { first, number: Number(number[0]) } : undefined
  }

  /** `Name` beside `Vorname` is the last name, and `Nombre` beside `Apellidos` the first. */
  #placePersonNames(keys: readonly string[], found: (FoundField | undefined)[]): void {
    for (const [{ words, beside }, name] of [
      [surnameWords, 'last_name'],
      [givenNameWords, 'first_name'],
    ] as const) {
      const field = [name, `contact.${name}`].find((field) => findField(this.#names.schema, field))
      if (field === undefined || found.some((other) => other?.field === field)) continue
      if (!keys.some((key) => beside.has(key))) continue
      const index = keys.findIndex((key) => words.has(key))
      if (index >= 0) found[index] = { field, how: 'synonym' }
    }
  }

  /** Several columns that mean the first item of a list become its items, in the order of the columns. */
  #placeItems(found: (FoundField | undefined)[]): void {
    const taken = new Set(found.flatMap((column) => (column?.how === 'name' ? [column.field] : [])))
    for (const column of found) {
      if (column?.how !== 'synonym' || !isListField(column.field) || isAttribute(column.field)) continue
      let field = column.field
      for (let next = 1; taken.has(field) && findField(this.#names.schema, field); next++)
        field = column.field.replace(/\.\d+\./, `.${next}.`)
      if (findField(this.#names.schema, field)) column.field = field
      taken.add(column.field)
    }
  }

  /** The status, type or flag of an item goes with the column that it is named like, or else with the one before it. */
  #placeAttributes(
    keys: readonly string[],
    items: readonly (Item | undefined)[],
    found: (FoundField | undefined)[],
  ): void {
    for (const [index, column] of found.entries()) {
      if (column?.how !== 'synonym' || !isListField(column.field) || !isAttribute(column.field)) continue
      const [list, , leaf] = splitListField(column.field)
      const stem = stemOf(keys[index]!)
      const others = found.flatMap((other, at) => {
        if (!other || !isListField(other.field) || isAttribute(other.field) || splitListField(other.field)[0] !== list)
          return []
        return { at, place: splitListField(other.field)[1], number: items[at]?.number ?? null, stem: stemOf(keys[at]!) }
      })
      const number = items[index]?.number ?? null
      const owner =
        others.find((other) => other.stem === stem && other.number === number) ??
        (number === null ? others.findLast(({ at }) => at < index) : others.find((other) => other.number === number)) ??
        (number === null ? others[0] : undefined)
      if (owner) column.field = `${list}.${owner.place}.${leaf}`
    }
  }
}

function replaceAt(header: string, { 0: found, index }: RegExpExecArray, text: string): string {
  return `${header.slice(0, index)}${text}${header.slice(index + found.length)}`
}

/** `contact.emails`, `0` and `status` of `contact.emails.0.status`. */
function splitListField(field: string): [list: string, place: string, leaf: string] {
  const steps = field.split('.')
  const [place, leaf] = steps.slice(-2)
  return [steps.slice(0, -2).join('.'), place!, leaf!]
}

/** Whether a field of a list's item says something about its value, and is not the value. */
function isAttribute(field: string): boolean {
  return /\.(?:status|type|is_primary)$/.test(field)
}

/** The subject of a list's column, without digits and words for its attributes. */
function stemOf(key: string): string {
  return attributeWords.reduce((stem, word) => stem.replace(word, ''), key.replace(/\d/g, ''))
}
