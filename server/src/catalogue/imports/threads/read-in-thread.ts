import { availableParallelism } from 'node:os'
import { Thread, type ThreadProgram } from '@storedex/work'
import { OperatorError } from '../../../foundation/kernel/errors.ts'
import { facets, type Term, type Vocabulary } from '../../../search/query/vocabulary.ts'
import type { ChunkReading, ReadingRequest, StartReading } from '../records/chunk-reader.ts'
import type { Chunk } from '../records/chunks.ts'
import type { Original } from '../records/records.ts'
import type { RecordsOf } from '../records/report.ts'
import type { FromReadingThread, ImportThreadTask, ReadingTask, ToReadingThread } from './messages.ts'

/** When a thread pays: a smaller file is read before it has started. */
const defaults = { leastBytes: 8_000_000, leastProcessors: 4 }

/**
 * Reads large files in a thread of its own. With two processors, the import's process and PostgreSQL use both of them, and
 * the copies between threads cost as much as is gained (decision 0042).
 */
export function readInThread(program: ThreadProgram, limits: Partial<typeof defaults> = {}): StartReading {
  const { leastBytes, leastProcessors } = { ...defaults, ...limits }
  return <Patch>(kind: RecordsOf, request: ReadingRequest) => {
    const { file, bytesTotal } = request.source
    if (file === null || bytesTotal === null || bytesTotal < leastBytes) return null
    if (availableParallelism() < leastProcessors) return null
    return readElsewhere<Patch>(program, taskOf(kind, file, request))
  }
}

function taskOf(kind: RecordsOf, file: string, request: ReadingRequest): ReadingTask {
  const { vocabulary, options, extendTaxonomy, dropsBadValues, seals, source } = request
  return {
    kind,
    file,
    maxUnpackedMb: source.maxUnpackedMb,
    options,
    terms: termsOf(vocabulary),
    extendTaxonomy,
    dropsBadValues,
    identityKey: new Uint8Array(seals.identities.secret),
  }
}

export function termsOf(vocabulary: Vocabulary): Term[] {
  return facets.flatMap((facet) => vocabulary.termsOf(facet))
}

function readElsewhere<Patch>(program: ThreadProgram, reading: ReadingTask): ChunkReading<Patch> {
  const task: ImportThreadTask = { work: 'read', ...reading }
  const thread = new Thread<ToReadingThread, FromReadingThread>(program, { name: 'import reading', task })
  const inbox = new Inbox(thread, reading.file)
  let bytesRead = 0
  async function* chunks(): AsyncGenerator<Chunk<Patch>> {
    try {
      for (;;) {
        const message = await inbox.next('chunk')
        if (message.kind === 'end') return
        if (message.kind !== 'chunk') continue
        const { number, chunk } = message
        bytesRead = message.bytesRead
        revive(chunk)
        const fetchOriginals = async (indexes: number[]) => {
          thread.post({ kind: 'originals', number, indexes })
          const answer = await inbox.next('originals')
          return answer.kind === 'originals' ? answer.originals.map(asBuffer) : []
        }
        yield { ...(chunk as Chunk<Patch>), fetchOriginals }
        thread.post({ kind: 'done', number })
      }
    } finally {
      await thread.kill()
    }
  }
  return {
    chunks: chunks(),
    setVocabulary: (vocabulary) => thread.post({ kind: 'terms', terms: termsOf(vocabulary) }),
    bytesRead: () => bytesRead,
  }
}

/** The messages of the thread, until it fails or dies. */
class Inbox {
  readonly #messages: FromReadingThread[] = []
  #death: Error | null = null
  #onChange: () => void = () => {}

  constructor(thread: Thread<ToReadingThread, FromReadingThread>, file: string) {
    thread.onMessage((message) => {
      this.#messages.push(message)
      this.#onChange()
    })
    void thread.ended.then((cause) => {
      this.#death = new OperatorError(`${file}: the thread that reads the file ended unexpectedly.`, { cause })
      this.#onChange()
    })
  }

  /** The next message of this kind, or the last one; messages of other kinds keep their order. */
  async next(kind: 'chunk' | 'originals'): Promise<FromReadingThread> {
    for (;;) {
      const isWanted = (message: FromReadingThread) =>
        message.kind === kind || (kind === 'chunk' && message.kind !== 'originals')
      const index = this.#messages.findIndex(isWanted)
      if (index >= 0) {
        const message = this.#messages.splice(index, 1)[0]!
        if (message.kind === 'failed') throw failureOf(message)
        return message
      }
      if (this.#death) throw this.#death
      await new Promise<void>((resolve) => {
        this.#onChange = resolve
      })
    }
  }
}

export function failureOf({ message, stack, isOperators }: FromReadingThread & { kind: 'failed' }): Error {
  if (isOperators) return new OperatorError(message)
  return Object.assign(new Error(message), { stack })
}

/** Copying between threads turns buffers into plain arrays of bytes. */
function revive({ records, trials, remnants, rejects }: Chunk<unknown>): void {
  for (const { patch } of [...records, ...trials, ...remnants] as { patch: { keys?: { main: Buffer } } }[])
    if (patch.keys) patch.keys.main = asBuffer(patch.keys.main)
  for (const reject of rejects) reject.original &&= asBuffer(reject.original)
}

function asBuffer<T extends Original>(value: T): T {
  if (!(value instanceof Uint8Array)) return value
  return Buffer.from(value.buffer as ArrayBuffer, value.byteOffset, value.byteLength) as Buffer & T
}
