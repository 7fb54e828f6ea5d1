import { attributeOf, type XmlHandler } from './xml.ts'

/** Counts the rows of a sheet that have a value, and reads none: a shared text counts as one, also if it is empty. */
export class RowCounter implements XmlHandler {
  count = 0
  #isInRows = false
  #hasValue = false
  #isInValue = false
  #cell = ''

  open(name: string, attributes: string): void {
    if (name === 'sheetData') this.#isInRows = true
    if (!this.#isInRows || this.#hasValue) return
    if (name === 'c') this.#cell = attributes
    else if (name === 'v' || name === 't') this.#isInValue = true
    // A formula without a stored value is told as such; one that gives an empty text is an empty cell.
    else if (name === 'f' && attributeOf(this.#cell, 't') !== 'str') this.#hasValue = true
  }

  text(text: string): void {
    if (this.#isInValue && text !== '') this.#hasValue = true
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#isInValue = false
    else if (name === 'sheetData') this.#isInRows = false
    else if (name === 'row' && this.#hasValue) {
      this.count++
      this.#hasValue = false
    }
  }
}
