import { reportMemoryToGc, type Segment } from '@storedex/search-index'
import type { SerializedError } from '@storedex/work'
import type { CatalogueIndex, LogLevel, ReplicaReport, SegmentLists } from './replica.ts'

/** Messages from the replica's thread. */
export type ReplicaMessage =
  | { kind: 'index'; index: SerializedIndex | null }
  | { kind: 'report'; report: ReplicaReport }
  | { kind: 'line'; level: LogLevel; line: string; cause: SerializedError | null }

/** Arrays are shared between threads, objects are copied: so a segment is sent once, later only its number. */
export interface SerializedIndex {
  batch: number
  added: [number: number, segment: Segment][]
  lists: Record<keyof SegmentLists, { number: number; dead: Int32Array | null }[]>
}

export class IndexSerializer {
  #numbers = new Map<Segment, number>()
  #nextNumber = 1

  serialize({ batch, lists }: CatalogueIndex): SerializedIndex {
    const known = this.#numbers
    this.#numbers = new Map()
    const added: SerializedIndex['added'] = []
    const serialize = (list: SegmentLists['live']) =>
      list.map(({ segment, dead }) => {
        const number = known.get(segment) ?? this.#nextNumber++
        if (!known.has(segment)) added.push([number, segment])
        this.#numbers.set(segment, number)
        return { number, dead }
      })
    return { batch, lists: { live: serialize(lists.live), test: serialize(lists.test) }, added }
  }
}

/** Returns known segments as the same objects, so that caches keyed by segment stay valid. */
export class IndexDeserializer {
  #segments = new Map<number, Segment>()

  deserialize({ batch, added, lists }: SerializedIndex): CatalogueIndex {
    const known = new Map([...this.#segments, ...added])
    this.#segments = new Map()
    const deserialize = (list: SerializedIndex['lists']['live']) =>
      list.map(({ number, dead }) => {
        const segment = known.get(number)!
        this.#segments.set(number, segment)
        const live = { segment, dead }
        reportMemoryToGc(live)
        return live
      })
    return { batch, lists: { live: deserialize(lists.live), test: deserialize(lists.test) } }
  }
}
