import { type ThreadPort, threadPort } from '@storedex/work'
import { createIdentityHasher } from '../../../foundation/encryption/identities.ts'
import { OperatorError } from '../../../foundation/kernel/errors.ts'
import { Vocabulary } from '../../../search/query/vocabulary.ts'
import { TaxonomyResolver } from '../cells/taxonomy-resolver.ts'
import { contactImportKind } from '../contacts/import-contacts.ts'
import { type Chunk, readChunks } from '../records/chunks.ts'
import type { RecordKind } from '../records/import-kind.ts'
import { openRecords } from '../records/open-records.ts'
import type { Original } from '../records/records.ts'
import type { RecordsOf } from '../records/report.ts'
import { openSource } from '../source/open-source.ts'
import { storeImportKind } from '../stores/import-stores.ts'
import { inspectInProcess } from './inspect.ts'
import {
  type FromReadingThread,
  type ImportThreadTask,
  type InspectingTask,
  maxWaitingChunks,
  type ReadingTask,
  type ToReadingThread,
} from './messages.ts'

type Port = ThreadPort<ImportThreadTask, ToReadingThread, FromReadingThread>

/** The main function of the thread program: reads a file into chunks, or looks at its beginning. */
export function runReadingThread(): void {
  const port: Port = threadPort()
  const { task } = port
  if (task.work === 'inspect') void inspect(port, task)
  else void new ReadingThread(port, task).run()
}

async function inspect({ post }: Port, task: InspectingTask): Promise<void> {
  const { kind, file, maxUnpackedMb, options, terms, identityKey } = task
  const seals = { identities: createIdentityHasher(Buffer.from(identityKey)) }
  try {
    post({ kind: 'inspecting' })
    const inspection = await inspectInProcess(
      { vocabulary: new Vocabulary(terms), seals, maxUnpackedMb },
      kind,
      file,
      options,
    )
    post({ kind: 'inspected', inspection })
  } catch (error) {
    post(describeFailure(error))
  }
}

function describeFailure(error: unknown): FromReadingThread {
  const { message, stack } = error as Error
  return { kind: 'failed', message, stack, isOperators: error instanceof OperatorError }
}

const kinds: Record<RecordsOf, RecordKind<unknown>> = { stores: storeImportKind, contacts: contactImportKind }

class ReadingThread {
  readonly #post: Port['post']
  readonly #task: ReadingTask
  readonly #resolver: TaxonomyResolver
  /** The originals of the chunks that are not written yet. */
  readonly #originals = new Map<number, Original[]>()
  #onDone: () => void = () => {}

  constructor(port: Port, task: ReadingTask) {
    this.#post = port.post
    this.#task = task
    this.#resolver = new TaxonomyResolver(new Vocabulary(task.terms), task.extendTaxonomy)
    port.onMessage((message) => this.#handle(message))
  }

  async run(): Promise<void> {
    try {
      await this.#read()
      this.#post({ kind: 'end' })
    } catch (error) {
      this.#post(describeFailure(error))
    }
  }

  async #read(): Promise<void> {
    const { file, maxUnpackedMb, options, dropsBadValues, identityKey } = this.#task
    const kind = kinds[this.#task.kind]
    const source = await openSource(file, undefined, maxUnpackedMb)
    const opened = await openRecords(source, kind, options)
    const seals = { identities: createIdentityHasher(Buffer.from(identityKey)) }
    const context = { resolver: this.#resolver, seals, cleansPhones: opened.layout !== null, dropsBadValues }
    let number = 0
    for await (const chunk of readChunks(opened.readRecords(this.#resolver), kind, context)) {
      this.#originals.set(
        number,
        chunk.records.map(({ original }) => original),
      )
      this.#post({ kind: 'chunk', number: number++, chunk: withoutOriginals(chunk), bytesRead: source.bytesRead() })
      while (this.#originals.size >= maxWaitingChunks) await this.#nextDone()
    }
  }

  #nextDone(): Promise<void> {
    return new Promise((resolve) => {
      this.#onDone = resolve
    })
  }

  #handle(message: ToReadingThread): void {
    if (message.kind === 'terms') this.#resolver.setVocabulary(new Vocabulary(message.terms))
    else if (message.kind === 'done') {
      this.#originals.delete(message.number)
      this.#onDone()
    } else {
      const originals = this.#originals.get(message.number) ?? []
      this.#post({ kind: 'originals', originals: message.indexes.map((index) => copied(originals[index]!)) })
    }
  }
}

const none: Original = []

function withoutOriginals(chunk: Chunk<unknown>): Chunk<unknown> {
  return {
    ...chunk,
    records: chunk.records.map((record) => ({ ...record, original: none })),
    trials: chunk.trials.map((record) => ({ ...record, original: none })),
    remnants: chunk.remnants.map((record) => ({ ...record, original: none })),
    rejects: chunk.rejects.map((reject) => ({ ...reject, original: reject.original && copied(reject.original) })),
  }
}

/** A line is part of a block of the file, and the whole block would be sent. */
function copied(original: Original): Original {
  return Buffer.isBuffer(original) ? (new Uint8Array(original) as Buffer) : original
}
