import { type Segment, weigh } from '@storedex/search-index'
import type { CatalogueView, FeedReport, LogLevel, Shelves } from './replica.ts'

/** What a feed's thread tells. */
export type FeedMessage =
  | { kind: 'view'; view: WiredView | null }
  | { kind: 'report'; report: FeedReport }
  | { kind: 'line'; level: LogLevel; line: string; cause: WiredError | null }

/** A view on its way between threads. Arrays are shared, objects are copied: a segment is sent once and then named. */
export interface WiredView {
  batch: number
  added: [number: number, segment: Segment][]
  shelves: Record<keyof Shelves, { number: number; dead: Int32Array | null }[]>
}

export class ViewSender {
  #numbers = new Map<Segment, number>()
  #nextNumber = 1

  send({ batch, shelves }: CatalogueView): WiredView {
    const known = this.#numbers
    this.#numbers = new Map()
    const added: WiredView['added'] = []
    const wire = (shelf: Shelves['live']) =>
      shelf.map(({ segment, dead }) => {
        const number = known.get(segment) ?? this.#nextNumber++
        if (!known.has(segment)) added.push([number, segment])
        this.#numbers.set(segment, number)
        return { number, dead }
      })
    return { batch, shelves: { live: wire(shelves.live), test: wire(shelves.test) }, added }
  }
}

/** Gives a segment that was there before as the same object, so that what is remembered of it holds. */
export class ViewReceiver {
  #segments = new Map<number, Segment>()

  receive({ batch, added, shelves }: WiredView): CatalogueView {
    const known = new Map([...this.#segments, ...added])
    this.#segments = new Map()
    const unwire = (shelf: WiredView['shelves']['live']) =>
      shelf.map(({ number, dead }) => {
        const segment = known.get(number)!
        this.#segments.set(number, segment)
        const live = { segment, dead }
        weigh(live)
        return live
      })
    return { batch, shelves: { live: unwire(shelves.live), test: unwire(shelves.test) } }
  }
}

/** Errors lose their fields between threads, and may hold what cannot be sent. */
export interface WiredError {
  name: string
  message: string
  stack: string | undefined
  code: string | undefined
}

export function wireError(error: unknown): WiredError | null {
  if (!(error instanceof Error)) return null
  const { name, message, stack } = error
  const { code } = error as { code?: unknown }
  return { name, message, stack, code: typeof code === 'string' ? code : undefined }
}

export function unwireError(wired: WiredError): Error {
  return Object.assign(new Error(wired.message), wired)
}
