import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { ThreadProgram } from '../../../search/replica/thread.ts'
import { deserializeError, type SerializedError, serializeError } from '../../../search/replica/thread-messages.ts'
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

const stopMessage = 'stop'

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
    // The environment holds passwords; the task has everything the thread needs.
    const thread = new Worker(program.file, {
      workerData: task,
      execArgv: [...program.execArgv],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
      name: 'console import',
    })
    const result = new Promise<ImportTaskResult>((resolve, reject) => {
      const silence = setTimeout(() => {
        reject(new ImportRunError(silenceSentence))
        void thread.terminate()
      }, silenceMs)
      thread.on('message', (message: ImportMessage) => {
        silence.refresh()
        if (message.kind === 'progress') onProgress(message.progress)
        else if (message.kind === 'done') resolve(message.result)
        else if (message.kind === 'failed') reject(toError(message))
      })
      thread.once('exit', () => clearTimeout(silence))
      thread.once('error', (cause) => reject(new ImportRunError(sentenceForDeath(cause), { cause })))
      thread.once('exit', () => reject(new ImportRunError(sentenceForDeath(null))))
    })
    return { result, stop: () => thread.postMessage(stopMessage), kill: () => thread.terminate() }
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
  const isMemory = (cause as NodeJS.ErrnoException | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY'
  const reason = isMemory ? 'The memory of the import did not suffice' : 'The import ended unexpectedly'
  return `${reason}. The records before that are imported; run it again to finish, or import smaller files.`
}

/** The main function of the thread program. */
export function runImportThread(): void {
  if (isMainThread || !parentPort) throw new Error('this program must run as a thread')
  const port = parentPort
  const stopping = new AbortController()
  const post = (message: ImportMessage) => port.postMessage(message)
  port.once('message', () => stopping.abort())
  setInterval(() => post({ kind: 'alive' }), aliveIntervalMs).unref()
  executeImport(workerData as ImportTask, {
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
    // The open port would keep the thread alive.
    .finally(() => port.close())
}
