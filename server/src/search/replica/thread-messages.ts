import { type Segment, reportMemoryToGc } from '@storedex/search-index'
import type { CatalogueView, ReplicaReport, LogLevel, SegmentLists } from './replica.ts'

/** What a feed's thread tells. */
export type ReplicaMessage =
  | { kind: 'view'; view: SerializedView | null }
  | { kind: 'report'; report: ReplicaReport }
  | { kind: 'line'; level: LogLevel; line: string; cause: SerializedError | null }

/** A view on its way between threads. Arrays are shared, objects are copied: a segment is sent once and then named. */
export interface SerializedView {
  batch: number
  added: [number: number, segment: Segment][]
  shelves: Record<keyof SegmentLists, { number: number; dead: Int32Array | null }[]>
}

export class ViewSerializer {
  #numbers = new Map<Segment, number>()
  #nextNumber = 1

  send({ batch, shelves }: CatalogueView): SerializedView {
    const known = this.#numbers
    this.#numbers = new Map()
    const added: SerializedView['added'] = []
    const wire = (shelf: SegmentLists['live']) =>
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
export class ViewDeserializer {
  #segments = new Map<number, Segment>()

  receive({ batch, added, shelves }: SerializedView): CatalogueView {
    const known = new Map([...this.#segments, ...added])
    this.#segments = new Map()
    const unwire = (shelf: SerializedView['shelves']['live']) =>
      shelf.map(({ number, dead }) => {
        const segment = known.get(number)!
        this.#segments.set(number, segment)
        const live = { segment, dead }
        reportMemoryToGc(live)
        return live
      })
    return { batch, shelves: { live: unwire(shelves.live), test: unwire(shelves.test) } }
  }
}

/** Errors lose their fields between threads, and may hold what cannot be sent. */
export interface SerializedError {
  name: string
  message: string
  stack: string | undefined
  code: string | undefined
}

export function serializeError(error: unknown): SerializedError | null {
  if (!(error instanceof Error)) return null
  const { name, message, stack } = error
  const { code } = error as { code?: unknown }
  return { name, message, stack, code: typeof code === 'string' ? code : undefined }
}

export function deserializeError(wired: SerializedError): Error {
  return Object.assign(new Error(wired.message), wired)
}
