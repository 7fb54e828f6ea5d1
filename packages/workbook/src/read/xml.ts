import { damaged, WorkbookError } from './errors.ts'

/** What is told about the elements of a document, in their order. Names are without their prefixes. */
export interface XmlHandler {
  /** `attributes` is the text behind the name, for `attributeOf`. An element without content is closed next. */
  open(name: string, attributes: string): void
  close(name: string): void
  /** Text as it is written, for `decodeText`; a long one comes in several parts. */
  text(text: string): void
}

/** Bounds of a document; a workbook stays far below. */
const maxDepth = 64
const maxHeldLength = 1_000_000

const greaterThan = 0x3e
const slash = 0x2f
const colon = 0x3a
const quote = 0x22
const apostrophe = 0x27
const exclamation = 0x21
const question = 0x3f

/**
 * Scans XML that comes in parts. It knows what workbooks are written with, and no more: a document type, by which XML
 * refers to other files and multiplies text, is refused. Several times as fast as a general parser, since it makes
 * no objects of what nobody asks for.
 */
export class XmlScanner {
  readonly #handler: XmlHandler
  readonly #open: string[] = []
  #held = ''
  #hasRoot = false

  constructor(handler: XmlHandler) {
    this.#handler = handler
  }

  /** Throws a `WorkbookError` for what is no XML of a workbook. */
  write(part: string): void {
    const source = this.#held === '' ? part : this.#held + part
    let at = 0
    for (;;) {
      const start = source.indexOf('<', at)
      if (start === -1) {
        // The end of a text may be a part of a reference such as &amp;.
        const reference = source.lastIndexOf('&')
        const end = reference >= at && reference > source.length - 12 ? reference : source.length
        if (end > at) this.#text(source.slice(at, end))
        at = end
        break
      }
      if (start > at) this.#text(source.slice(at, start))
      const end = this.#tag(source, start)
      if (end === -1) {
        at = start
        break
      }
      at = end
    }
    this.#held = source.slice(at)
    if (this.#held.length > maxHeldLength) throw damaged('an element does not end within a million characters')
  }

  end(): void {
    if (this.#held !== '' || this.#open.length > 0 || !this.#hasRoot) throw damaged('a part of it ends too early')
  }

  #text(text: string): void {
    if (this.#open.length > 0) this.#handler.text(text)
  }

  /** Reads what begins with `<`; returns where it ends, or -1 if it does not end here. */
  #tag(source: string, start: number): number {
    const first = source.charCodeAt(start + 1)
    if (first === exclamation) return this.#declaration(source, start)
    if (first === question) return after(source, '?>', start)
    if (first === slash) return this.#closing(source, start)
    let at = start + 1
    let nameStart = at
    let code = first
    while (code > 0x20 && code !== greaterThan && code !== slash) {
      if (code === colon) nameStart = at + 1
      code = source.charCodeAt(++at)
    }
    const nameEnd = at
    let quoted = 0
    for (; at < source.length; code = source.charCodeAt(++at)) {
      if (quoted !== 0) {
        if (code === quoted) quoted = 0
      } else if (code === greaterThan) break
      else if (code === quote || code === apostrophe) quoted = code
    }
    if (at >= source.length) return -1
    if (nameEnd === nameStart) throw damaged('an element has no name')
    const name = source.slice(nameStart, nameEnd)
    const isEmpty = source.charCodeAt(at - 1) === slash
    this.#hasRoot = true
    this.#handler.open(name, source.slice(nameEnd, isEmpty ? at - 1 : at))
    if (isEmpty) this.#handler.close(name)
    else if (this.#open.push(name) > maxDepth) throw damaged('its elements are nested too deeply')
    return at + 1
  }

  #closing(source: string, start: number): number {
    // Most names are one letter.
    const isShort = source.charCodeAt(start + 3) === greaterThan
    const end = isShort ? start + 3 : source.indexOf('>', start)
    if (end === -1) return -1
    const name = isShort ? source.charAt(start + 2) : nameOf(source.slice(start + 2, end))
    if (this.#open.pop() !== name) throw damaged('its elements are closed out of order')
    this.#handler.close(name)
    return end + 1
  }

  #declaration(source: string, start: number): number {
    if (source.startsWith('<!--', start)) return after(source, '-->', start + 4)
    if (source.startsWith('<![CDATA[', start)) {
      const end = source.indexOf(']]>', start)
      if (end === -1) return -1
      this.#text(source.slice(start + 9, end).replaceAll('&', '&amp;'))
      return end + 3
    }
    if (source.length - start < 9) return -1
    throw new WorkbookError('a part of it has a document type or entities of its own, which no workbook needs')
  }
}

function nameOf(written: string): string {
  return written.slice(written.indexOf(':') + 1).trimEnd()
}

function after(source: string, mark: string, from: number): number {
  const end = source.indexOf(mark, from)
  return end === -1 ? -1 : end + mark.length
}

/** The value of an attribute in the text behind an element's name; undefined without it. */
export function attributeOf(attributes: string, name: string): string | undefined {
  for (let at = attributes.indexOf(name); at !== -1; at = attributes.indexOf(name, at + 1)) {
    // A whole name: a blank or a prefix stands before it.
    const before = attributes.charCodeAt(at - 1)
    if (before > 0x20 && before !== colon) continue
    let from = at + name.length
    while (attributes.charCodeAt(from) <= 0x20) from++
    if (attributes[from] !== '=') continue
    do from++
    while (attributes.charCodeAt(from) <= 0x20)
    const mark = attributes.charCodeAt(from)
    if (mark !== quote && mark !== apostrophe) continue
    const end = attributes.indexOf(mark === quote ? '"' : "'", from + 1)
    return end === -1 ? undefined : decodeText(attributes.slice(from + 1, end))
  }
  return undefined
}

const references = /&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|([a-z]{1,8}));?/g
const known: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Text with its references resolved. */
export function decodeText(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(references, (_, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined) {
      const character = known[name]
      if (character === undefined) throw damaged('a text has an entity that it does not define')
      return character
    }
    const code = decimal === undefined ? Number.parseInt(hexadecimal!, 16) : Number(decimal)
    if (code === 0 || code > 0x10ffff) throw damaged('a text refers to a character that does not exist')
    return String.fromCodePoint(code)
  })
}

/** Workbooks write characters that XML cannot have, and line breaks, as `_x000D_`. */
const escapes = /_x([\da-fA-F]{4})_/g

export function decodeCellText(text: string): string {
  const decoded = decodeText(text)
  if (!decoded.includes('_x')) return decoded
  return decoded.replace(escapes, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}
