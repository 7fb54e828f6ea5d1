import type { Archive } from './archive.ts'
import { damaged } from './errors.ts'
import { decodePart } from './parts.ts'
import { StringTable } from './string-table.ts'
import { decodeCellText, XmlScanner } from './xml.ts'

/** A cell has at most 32,767 characters; some programs write a few more. */
export const maxTextLength = 1_000_000

/** Collects the text of an item or a cell: its parts joined, without how they are pronounced. */
export class TextCollector {
  #text = ''
  /** Of the element that is open, as it is written. */
  #part = ''
  #isText = false
  #phonetic = 0

  begin(): void {
    this.#text = ''
    this.#isText = false
    this.#phonetic = 0
  }

  open(element: string): void {
    if (element === 't') this.#isText = this.#phonetic === 0
    else if (element === 'rPh') this.#phonetic++
  }

  close(element: string): void {
    if (element === 't') {
      this.#text += decodeCellText(this.#part)
      this.#part = ''
      this.#isText = false
    } else if (element === 'rPh') this.#phonetic--
  }

  add(text: string): void {
    if (!this.#isText) return
    this.#part = this.#part === '' ? text : this.#part + text
    if (this.#text.length + this.#part.length > maxTextLength)
      throw damaged('a cell of it has more than a million characters')
  }

  take(): string {
    return this.#text
  }
}

/** The table of shared texts, read as far as it is asked for. */
export class SharedStrings {
  readonly #table = new StringTable()
  readonly #parts: AsyncGenerator<string> | null
  readonly #scanner: XmlScanner
  #isRead: boolean

  constructor(archive: Archive, part: string | null) {
    this.#parts = part === null ? null : decodePart(archive, part)
    this.#isRead = part === null
    const text = new TextCollector()
    const table = this.#table
    this.#scanner = new XmlScanner({
      open(element) {
        if (element === 'si') text.begin()
        else text.open(element)
      },
      close(element) {
        if (element === 'si') table.push(text.take())
        else text.close(element)
      },
      text: (part) => text.add(part),
    })
  }

  /** Reads the table until it has a text with this number, or to its end. */
  async readUpTo(index: number): Promise<void> {
    while (!this.#isRead && this.#table.size <= index) {
      const { done, value } = await this.#parts!.next()
      if (!done) this.#scanner.write(value)
      else {
        this.#scanner.end()
        this.#isRead = true
      }
    }
  }

  get(index: number): string {
    const text = this.#table.get(index)
    if (text === undefined) throw damaged('a cell names a text that is not in it')
    return text
  }

  async close(): Promise<void> {
    await this.#parts?.return(undefined)
    this.#table.close()
  }
}
