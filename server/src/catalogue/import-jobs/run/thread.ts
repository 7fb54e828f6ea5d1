import {
  deserializeError,
  isOutOfMemory,
  type SerializedError,
  serializeError,
  Thread,
  type ThreadProgram,
  threadPort,
} from '@storedex/work'
import type { JobProgress } from '../job.ts'
import { executeImport } from './execute.ts'
import { ImportRunError, type ImportTask, type ImportTaskResult, type StartImport } from './task.ts'

/** Messages from the thread of an import. */
type ImportMessage =
  | { kind: 'alive' }
  | { kind: 'progress'; progress: JobProgress }
  | { kind: 'done'; result: ImportTaskResult }
  /** With a sentence for the operator, and with a cause for the log. */
  | { kind: 'failed'; sentence: string | null; cause: SerializedError | null }

/** The only message to the thread. */
type Stop = 'stop'

const aliveIntervalMs = 5_000

/**
 * An import that needs more memory ends, and leaves it to the requests of the service. One that sends nothing for so long
 * computes without end: a thread that waits for the database still says that it is alive.
 */
const defaults = { memoryMb: 1_024, silenceMs: 120_000 }

/** Runs each import in a thread of its own, so that reading and rendering do not delay requests. */
export function startImportInThread(program: ThreadProgram, limits: Partial<typeof defaults> = {}): StartImport {
  const { memoryMb, silenceMs } = { ...defaults, ...limits }
  return (task, onProgress) => {
    const thread = new Thread<Stop, ImportMessage>(program, { name: 'console import', task, memoryMb })
    const result = new Promise<ImportTaskResult>((resolve, reject) => {
      const silence = setTimeout(() => {
        reject(new ImportRunError(silenceSentence))
        void thread.kill()
      }, silenceMs)
      thread.onMessage((message) => {
        silence.refresh()
        if (message.kind === 'progress') onProgress(message.progress)
        else if (message.kind === 'done') resolve(message.result)
        else if (message.kind === 'failed') reject(toError(message))
      })
      void thread.ended.then((cause) => {
        clearTimeout(silence)
        reject(new ImportRunError(sentenceForDeath(cause), cause === undefined ? {} : { cause }))
      })
    })
    return { result, stop: () => thread.post('stop'), kill: () => thread.kill() }
  }
}

function toError({ sentence, cause }: Extract<ImportMessage, { kind: 'failed' }>): Error {
  const error = cause && deserializeError(cause)
  if (sentence === null) return error ?? new Error('the import failed without a cause')
  return new ImportRunError(sentence, error ? { cause: error } : {})
}

const silenceSentence =
  'The import was ended, because one of its records took minutes to read. The records before that are imported; look at those after them, and run it again.'

function sentenceForDeath(cause: unknown): string {
  const reason = isOutOfMemory(cause) ? 'The memory of the import did not suffice' : 'The import ended unexpectedly'
  return `${reason}. The records before that are imported; run it again to finish, or import smaller files.`
}

/** The main function of the thread program. */
export function runImportThread(): void {
  const { task, post, onMessage, close } = threadPort<ImportTask, Stop, ImportMessage>()
  const stopping = new AbortController()
  onMessage(() => stopping.abort())
  setInterval(() => post({ kind: 'alive' }), aliveIntervalMs).unref()
  executeImport(task, {
    signal: stopping.signal,
    onProgress: (progress) => post({ kind: 'progress', progress }),
  })
    .then(
      (result) => post({ kind: 'done', result }),
      (error: unknown) =>
        post({
          kind: 'failed',
          ...(error instanceof ImportRunError
            ? { sentence: error.message, cause: serializeError(error.cause) }
            : { sentence: null, cause: serializeError(error) }),
        }),
    )
    .finally(close)
}
