import { StoredexError } from '../errors.ts'
import type { NodeDestination, WebDestination } from '../platform.ts'

/** A stream that is being written to. */
export interface OpenDestination {
  /** Resolves when the stream takes more. */
  write(chunk: Uint8Array): Promise<void>
  close(): Promise<void>
  /** Leaves it open. */
  release(): void
  /** Ends it as broken. */
  abort(error: unknown): void
}

export function openDestination(target: WebDestination | NodeDestination): OpenDestination {
  return 'getWriter' in target ? openWeb(target) : openNode(target)
}

function openWeb(target: WebDestination): OpenDestination {
  const writer = target.getWriter()
  const guard = <T>(work: Promise<T>) => work.catch((error: unknown) => Promise.reject(destinationError(error)))
  return {
    write: (chunk) => guard(writer.write(chunk)),
    close: () => guard(writer.close()),
    release: () => writer.releaseLock(),
    abort: (error) => void writer.abort(error).catch(() => {}),
  }
}

function openNode(target: NodeDestination): OpenDestination {
  let broken: StoredexError | undefined
  let reject = (_error: StoredexError) => {}
  const fail = (error?: Error) => {
    broken ??= destinationError(error ?? new Error('The stream was closed.'))
    reject(broken)
  }
  // The listener for errors stays when it is destroyed: an error that nobody listens to would end the process.
  target.on('error', fail)
  target.on('close', fail)
  const release = () => {
    target.removeListener('error', fail)
    target.removeListener('close', fail)
  }
  const until = (work: (done: () => void) => void) =>
    new Promise<void>((resolve, rejectWork) => {
      reject = rejectWork
      if (broken) rejectWork(broken)
      else work(resolve)
    })
  return {
    write: (chunk) => until((done) => void target.write(chunk, (error) => (error ? fail(error) : done()))),
    close: () => until((done) => void target.end(done)).then(release),
    release,
    abort: (error) => void target.destroy(error as Error),
  }
}

/** What the caller's stream says is the caller's own, and no failure of the connection. */
function destinationError(error: unknown): StoredexError {
  return new StoredexError('The destination of the download failed.', { code: 'destination_failed', cause: error })
}
