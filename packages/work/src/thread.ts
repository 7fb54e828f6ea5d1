/**
 * Worker threads with typed messages. The side that starts one makes a `Thread`, the program of the thread asks for its
 * `threadPort`. What travels between them is structured clone: plain data, typed arrays, shared memory.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

/** The program of a thread and its Node arguments. */
export interface ThreadProgram {
  file: string
  execArgv: readonly string[]
}

interface ThreadOptions {
  name: string
  /** Data for the start of the thread. */
  task?: unknown
  /** The limit of its heap; a thread that exceeds it dies (`isOutOfMemory`). */
  memoryMb?: number
}

/** A thread that takes messages `In` and sends messages `Out`. Its constructor throws if the system has no room for it. */
export class Thread<In, Out> {
  /** Resolves when the thread has ended: with the cause of its death, or undefined. Never rejects. */
  readonly ended: Promise<unknown>
  readonly #worker: Worker

  constructor({ file, execArgv }: ThreadProgram, { name, task, memoryMb }: ThreadOptions) {
    this.#worker = new Worker(file, {
      name,
      workerData: task,
      execArgv: [...execArgv],
      // The environment holds passwords; task and messages have everything the thread needs.
      env: {},
      ...(memoryMb !== undefined && { resourceLimits: { maxOldGenerationSizeMb: memoryMb } }),
    })
    this.ended = new Promise((resolve) => {
      let cause: unknown
      this.#worker.on('error', (error) => {
        cause = error
      })
      this.#worker.once('exit', () => resolve(cause))
    })
  }

  post(message: In): void {
    this.#worker.postMessage(message)
  }

  /** Listens to messages; call it before the next turn of the event loop, in which the first may come. */
  onMessage(handle: (message: Out) => void): void {
    this.#worker.on('message', handle)
  }

  /** Sends a message on which the thread ends by itself, and kills it if it has not after `timeoutMs`. */
  async stop(message: In, timeoutMs: number): Promise<void> {
    this.post(message)
    const kill = setTimeout(() => this.#worker.terminate(), timeoutMs)
    await this.ended
    clearTimeout(kill)
  }

  async kill(): Promise<void> {
    await this.#worker.terminate()
  }
}

/** The side of the thread. */
export interface ThreadPort<Task, In, Out> {
  task: Task
  post(message: Out): void
  onMessage(handle: (message: In) => void): void
  /** Lets the thread end: an open port keeps it alive. */
  close(): void
}

/** The port of this thread. Throws in a program that does not run as one. */
export function threadPort<Task, In, Out>(): ThreadPort<Task, In, Out> {
  const port = parentPort
  if (isMainThread || !port) throw new Error('this program must run as a thread')
  return {
    task: workerData as Task,
    post: (message) => port.postMessage(message),
    onMessage: (handle) => port.on('message', handle),
    close: () => port.close(),
  }
}

/** Whether a thread died because it exceeded its `memoryMb`. */
export function isOutOfMemory(cause: unknown): boolean {
  return (cause as NodeJS.ErrnoException | null | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY'
}

/** Errors lose fields when they are copied between threads, and may hold values that cannot be copied. */
export interface SerializedError {
  name: string
  message: string
  stack: string | undefined
  code: string | undefined
}

/** Null for a value that is no error. */
export function serializeError(error: unknown): SerializedError | null {
  if (!(error instanceof Error)) return null
  const { name, message, stack } = error
  const { code } = error as { code?: unknown }
  return { name, message, stack, code: typeof code === 'string' ? code : undefined }
}

export function deserializeError(serialized: SerializedError): Error {
  return Object.assign(new Error(serialized.message), serialized)
}
